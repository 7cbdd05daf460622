"""What the packages export is pinned: a name that comes or goes is a decision, not an accident."""

from __future__ import annotations

import importlib

import pytest

PUBLIC = {
    "leadapron": "__version__",
    "leadapron.errors": "ConfigError DataError LeadapronError MissingExtraError MissingWeightsError did_you_mean",
    "leadapron.engine": "Progress atomic_folder atomic_path kernel parallel_map run_blocks sha256 silent terminal "
    "worker_count",
    "leadapron.cohort": "FINDINGS LABEL_COLUMNS POLICIES SOURCES SPLITS Cohort Funnel LabelPolicy Pixels ReadOptions "
    "Step decode prepare read_cohort read_image split_by_patient write_cohort",
    "leadapron.phantom": "Clinic Dials build_clinic contact_sheet render write_clinic",
    "leadapron.release": "ARRAYS Layer Projection Release read_folder read_heads read_release write_heads "
    "write_release",
    "leadapron.encoders": "ENCODERS Encoder EncoderSpec Heads Weights encode find_encoder",
    "leadapron.stats": "FAR OUTCOMES Estimate Outcome PairedDifference added_up at_false_rate bootstrap_means "
    "exact_limits joined mean_difference ratio_limits redrawn_means share_differences share_limits shares shares_of "
    "smallest_seen smallest_seen_by_error two_sided_p usual",
    "leadapron.attacks.linkage": "ALL_ATTACKERS USUAL_POOLS LinkageConfig Ranks audit_linkage chance rank_truth "
    "recall_at_1_curve recall_in_pool reciprocal_rank_in_pool",
    "leadapron.attacks.identity": "ALL_ATTACKERS USUAL_POOLS IdentityConfig audit_identity has_mates",
    "leadapron.attacks.identity.training": "BACKBONES NETWORKS PUBLISHED Phase TrainingConfig choose",
    "leadapron.attacks.membership": "AsFound AsFoundConfig Declared MembershipConfig Promise Signals "
    "audit_as_found audit_membership build_as_found build_signals error_with models_needed read_as_found read_signals",
    "leadapron.utility": "Utility UtilityChange UtilityConfig UtilityEstimate as_table compare_utility measure_utility "
    "read_utility withheld_labels write_utility",
    "leadapron.defences": "Guarantee",
    "leadapron.defences.heads": "CONTROLS METHODS HeadsConfig LinkageBound Method Spending approximate_bound "
    "bound_linkage controls_of defend_heads gaussian_bound solve_sigma transfer_heads",
    "leadapron.defences.vectors": "VECTOR_DEFENCES VectorDefence find_vector_defence gaussian_delta gaussian_epsilon",
    "leadapron.report": "Judgement Policy Results Verdict default_policy default_policy_text judge read_policy "
    "read_results write_results",
    "leadapron.compare": "RENDERERS Change Comparison Entrant Frontier PairedChange Point Trial TrialConfig as_table "
    "build_frontier compare find_entrants run_trial",
    "leadapron.cli": "cli main",
}


@pytest.mark.parametrize("package", PUBLIC)
def test_exports_are_pinned(package):
    module = importlib.import_module(package)
    assert sorted(module.__all__) == sorted(PUBLIC[package].split())
    assert all(hasattr(module, name) for name in module.__all__)
