"""The words of the clinic's radiologists."""

from __future__ import annotations

from leadapron.phantom.scene import ARM_LINE, CHEST_TUBE, ENDOTRACHEAL, JUGULAR_LINE, NASOGASTRIC

NOUNS = {
    "Atelectasis": ("atelectasis", "subsegmental atelectasis", "linear atelectasis", "discoid atelectasis"),
    "Cardiomegaly": ("cardiomegaly", "enlargement of the cardiac silhouette", "cardiac enlargement"),
    "Consolidation": ("consolidation", "airspace consolidation", "focal consolidation"),
    "Edema": ("pulmonary edema", "interstitial pulmonary edema", "edema with vascular congestion"),
    "Enlarged Cardiomediastinum": ("mediastinal widening", "widening of the mediastinal contour", "prominence of the mediastinum"),
    "Fracture": ("rib fracture", "osseous fracture of a rib", "fractured rib"),
    "Lung Lesion": ("focal lung lesion", "pulmonary lesion", "discrete lung lesion"),
    "Lung Opacity": ("opacity", "hazy opacity", "ill-defined opacity", "airspace opacity"),
    "Pleural Effusion": ("pleural effusion", "effusion", "pleural fluid"),
    "Pleural Other": ("pleural thickening", "pleural scarring", "pleural plaque"),
    "Pneumonia": ("pneumonia", "infectious process", "multifocal pneumonia"),
    "Pneumothorax": ("pneumothorax", "pneumothorax", "pleural air"),
}  # fmt: skip

GRADES = (("mild", "small", "minimal", "slight"), ("moderate",), ("severe", "large", "marked", "extensive"))
SIDES = {
    "right": ("right", "right-sided"),
    "left": ("left", "left-sided"),
    "bilateral": ("bilateral",),
}
ZONES = {
    "upper": ("in the upper lung zone", "in the upper lobe", "near the apex"),
    "mid": ("in the mid lung zone", "in the perihilar region", "in the mid lung"),
    "lower": ("in the lower lung zone", "in the lower lobe", "at the lung base"),
}
MEASURES = {
    "Lung Lesion": ("measuring {}", "measuring approximately {}", "of {} in diameter"),
    "Cardiomegaly": ("with a cardiothoracic ratio of {}", "(cardiothoracic ratio {})"),
    "Fracture": ("at the level of the {}", "involving the {}"),
}
CHANGES = {
    "new": ("new since the prior study{}", "not present on the prior study{}"),
    "worse": ("increased since the prior study{}", "worse than on the prior study{}"),
    "same": ("unchanged from the prior study{}", "stable compared with the prior study{}"),
    "better": ("decreased since the prior study{}", "improved from the prior study{}"),
}
FRAMES = (
    "There is {}.",
    "{} is present.",
    "{} is seen.",
    "{} is noted.",
    "The picture is that of {}.",
    "The study shows {}.",
)
HEDGES = (
    "Findings may represent {}.",
    "Findings are suggestive of {}.",
    "{} is likely.",
    "{} cannot be excluded but is favored.",
    "Appearance most compatible with {}.",
)

DEVICES = {
    ENDOTRACHEAL: ("Endotracheal tube tip lies {cm:.1f} cm above the carina.", "The ET tube terminates {cm:.1f} cm above the carina."),
    NASOGASTRIC: ("Nasogastric tube courses below the diaphragm into the stomach.", "Enteric tube passes below the left hemidiaphragm, tip over the stomach."),
    JUGULAR_LINE: ("{Side} internal jugular catheter terminates in the {vein}.", "{Side} IJ central line with tip in the {vein}."),
    ARM_LINE: ("{Side} PICC terminates in the {vein}.", "A {side} PICC line is seen with its tip in the {vein}."),
    CHEST_TUBE: ("{Side} chest tube is in place.", "A {side}-sided pleural drain is in position."),
}  # fmt: skip
PACEMAKER = (
    "Left chest wall pacemaker with leads in the right heart.",
    "A left-sided dual-lead pacing device is in place.",
)
SOME_DEVICE = (
    "Support devices are in place.",
    "Monitoring and support hardware is present.",
    "Medical device noted.",
)
VEINS = ("upper superior vena cava", "mid superior vena cava", "cavoatrial junction", "right atrium")

INCIDENTAL = {
    "wires": ("Median sternotomy wires are intact.", "Status post median sternotomy."),
    "clips in armpit": ("Surgical clips project over the left axilla.", "Left axillary clips are noted."),
    "clips in belly": ("Cholecystectomy clips in the right upper quadrant.", "Clips are seen in the right upper quadrant."),
    "clips at hilum": ("Surgical clips at the left hilum.", "Clips project over the left hilum from prior surgery."),
    "granuloma right upper": ("Calcified granuloma in the right upper lobe.", "A calcified nodule in the right apex."),
    "granuloma right mid": ("Calcified granuloma in the right mid lung.", "A calcified nodule in the right mid zone."),
    "granuloma right lower": ("Calcified granuloma at the right base.", "A calcified nodule in the right lower lobe."),
    "granuloma left upper": ("Calcified granuloma in the left upper lobe.", "A calcified nodule in the left apex."),
    "granuloma left mid": ("Calcified granuloma in the left mid lung.", "A calcified nodule in the left mid zone."),
    "granuloma left lower": ("Calcified granuloma at the left base.", "A calcified nodule in the left lower lobe."),
    "scoliosis right": ("Mild dextroscoliosis of the thoracic spine.", "Thoracic scoliosis convex to the right."),
    "scoliosis left": ("Mild levoscoliosis of the thoracic spine.", "Thoracic scoliosis convex to the left."),
    "unfolded aorta": ("The aorta is tortuous.", "Tortuosity of the thoracic aorta.", "The aorta is unfolded."),
    "raised right dome": ("Elevation of the right hemidiaphragm.", "The right hemidiaphragm is elevated."),
    "raised left dome": ("Elevation of the left hemidiaphragm.", "The left hemidiaphragm is elevated."),
    "low volumes": ("Lung volumes are low.", "Low lung volumes with crowding of the vessels."),
    "large volumes": ("The lungs are hyperinflated.", "Hyperinflation of both lungs."),
    "thin bones": ("Diffuse osteopenia.", "The bones are demineralized."),
    "stomach gas": ("Gaseous distention of the stomach.", "A prominent gastric bubble is noted."),
    "breast shadows": ("Breast tissue overlies the lung bases.", "Overlying breast shadows limit the bases."),
}  # fmt: skip

NEGATIVES = {
    "Pleural Effusion": ("No pleural effusion.", "There is no effusion.", "Costophrenic angles are sharp."),
    "Pneumothorax": ("No pneumothorax.", "No evidence of pneumothorax.", "There is no pneumothorax."),
    "Consolidation": ("No focal consolidation.", "The lungs are clear of consolidation.", "No airspace consolidation."),
    "Cardiomegaly": ("Heart size is normal.", "The cardiac silhouette is within normal limits.", "Normal heart size."),
    "Edema": ("No pulmonary edema.", "Pulmonary vascularity is normal.", "No vascular congestion."),
    "Enlarged Cardiomediastinum": ("Mediastinal contours are unremarkable.", "The mediastinum is not widened."),
    "Fracture": ("No acute osseous abnormality.", "The imaged bones are intact."),
}  # fmt: skip

CONTRADICTED_BY = {"Consolidation": ("Consolidation", "Pneumonia", "Lung Opacity")}
"""Beside the finding itself: what makes a denial read wrong."""

TEMPLATES = (
    "FINDINGS: The lungs are clear. Heart size is normal. No pleural effusion or pneumothorax.\n\nIMPRESSION: No acute cardiopulmonary process.",
    "FINDINGS: Cardiomediastinal silhouette is within normal limits. The lungs are well expanded and clear. There is no effusion or pneumothorax. Bones are intact.\n\nIMPRESSION: No acute intrathoracic abnormality.",
    "FINDINGS: Normal heart, lungs, hila, mediastinum and pleural surfaces.\n\nIMPRESSION: Normal chest radiograph.",
    "FINDINGS: No focal consolidation, effusion, edema or pneumothorax. Normal cardiomediastinal contours.\n\nIMPRESSION: 1. No evidence of acute disease.",
    "FINDINGS: Lungs: clear. Pleura: no effusion, no pneumothorax. Heart: not enlarged. Mediastinum: normal. Bones: unremarkable.\n\nIMPRESSION: Normal study.",
    "FINDINGS: The heart is normal in size and there is no vascular congestion, pleural effusion or acute focal pneumonia.\n\nIMPRESSION: No evidence of acute pneumonia.",
)  # fmt: skip
NORMAL_IMPRESSIONS = (
    "No acute cardiopulmonary process.",
    "No acute intrathoracic abnormality.",
    "No evidence of acute disease.",
)
VIEWS = {
    "AP": ("Portable AP view of the chest.", "Single frontal AP view.", "AP portable chest radiograph."),
    "PA": ("PA view of the chest.", "Upright frontal PA view.", "Frontal PA chest radiograph."),
}
