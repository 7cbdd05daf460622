"""What the packages export is pinned: a name that comes or goes is a decision, not an accident."""

from __future__ import annotations

import importlib

import pytest

PUBLIC = {
    "leadapron": "Release __version__ assess audit compare defend federate gate label_report phantom read_images "
    "read_release read_results trial utility write_release",
    "leadapron.errors": "ConfigError DataError LeadapronError MissingExtraError MissingWeightsError PartDoneError "
    "UnfinishedError did_you_mean",
    "leadapron.engine": "Progress atomic_folder atomic_path kernel parallel_map run_blocks sha256 silent "
    "terminal worker_count",
    "leadapron.cohort": "Cohort FINDINGS Funnel LABEL_COLUMNS LabelPolicy POLICIES Pixels ReadOptions SOURCES "
    "SPLITS Step decode prepare read_cohort read_image split_by_patient write_cohort",
    "leadapron.phantoms": "Clinic Dials build_clinic contact_sheet plant_reports render write_clinic",
    "leadapron.release": "ARRAYS Layer Projection Release read_folder read_heads read_release with_split "
    "with_split_by write_heads write_release",
    "leadapron.encoders": "ENCODERS EncodeConfig Encoder EncoderSpec Heads Weights encode encoder_names find_encoder",
    "leadapron.reports": "Label label_report",
    "leadapron.stats": "Best Estimate FAR OUTCOMES Outcome PairedDifference added_up at_false_rate best_of "
    "bootstrap_means exact_limits joined mean_difference ratio_limits redrawn_means share_differences "
    "share_limits shares shares_of smallest_seen smallest_seen_by_error two_sided_p usual",
    "leadapron.privacy": "Guarantee LinkageBound Promise Spending auc_bound bound_linkage bound_of_guarantee "
    "gaussian_auc gaussian_bound gaussian_delta gaussian_epsilon gaussian_mu rate_bound "
    "solve_sigma",
    "leadapron.results": "About Attacked Findings FittedOn GroupTest Inputs Measured Results Spot Subject "
    "read_results save_results",
    "leadapron.audits": "AUDITS Audit AuditConfig Coordinate Gathering Judgement Knowledge Measure NOTHING "
    "Policy RecordGathering Verdict audit_names default_policy default_policy_text "
    "find_audit find_policy judge kept_units preset_names read_policy register",
    "leadapron.attacks.attributes": "ATTRIBUTES AttributesConfig audit_attributes strongest_attribute",
    "leadapron.attacks.federation": "FEDERATION FederatedRun FederationConfig RunConfig audit_federation load_run",
    "leadapron.attacks.linkage": "ALL_ATTACKERS LINKAGE LinkageConfig Ranks USUAL_POOLS audit_linkage chance "
    "check_possible possible rank_truth recall_at_1_curve recall_in_pool reciprocal_rank_in_pool",
    "leadapron.attacks.identity": "ALL_ATTACKERS IDENTITY IdentityConfig USUAL_POOLS audit_identity has_mates",
    "leadapron.attacks.identity.training": "BACKBONES NETWORKS PUBLISHED Phase TrainingConfig choose",
    "leadapron.attacks.membership": "AS_FOUND AsFoundConfig Declared FoundModels MEMBERSHIP MembershipConfig "
    "Signals audit_as_found audit_membership build_as_found build_signals "
    "error_with models_needed read_as_found read_signals",
    "leadapron.attacks.reports": "PARROT ParrotConfig ParrotReads REPORT_IDENTITY RESIDUAL ReleasedReports "
    "ReportIdentityConfig ResidualReads audit_parrot audit_report_identity audit_residual",
    "leadapron.uses": "UTILITY UtilityConfig measure_utility",
    "leadapron.defences": "DEFENCES Defence DefenceCard defend find_defence register",
    "leadapron.defences.heads": "CONTROLS HeadsConfig METHODS Method controls_of defend_heads transfer_heads",
    "leadapron.federated": "ENGINES Group METHODS Machine Plan Run federate hospitals_beside read_plan read_run",
    "leadapron.comparisons": "Change Comparison PairedChange RENDERERS UseChange as_table compare use_changes",
    "leadapron.trials": "Answer Bench Entrant Frontier Point RiskStatus Trial TrialConfig build_frontier "
    "read_entrants risk_statuses run_trial trial",
    "leadapron.reproductions": "Places StudyConfig StudyPlan prepare reproduce_linkage",
    "leadapron.dossier": "Asked Declaration Dossier assess planned read_declaration",
    "leadapron.cli": "cli main",
}


@pytest.mark.parametrize("package", PUBLIC)
def test_exports_are_pinned(package):
    module = importlib.import_module(package)
    assert sorted(module.__all__) == sorted(PUBLIC[package].split())
    assert all(hasattr(module, name) for name in module.__all__)
