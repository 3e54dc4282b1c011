"""One file for a measure or a small family. A new file here adds its measures everywhere.

FILES only saves time: with it, asking for a measure imports one file instead of all. A measure that is not listed, and
has no file of its own name, is found by importing every file.
"""

_NAMES = {
    "alpha_ndcg": "alpha_DCG alpha-DCG alpha_nDCG alpha-nDCG α-nDCG α_nDCG",
    "average_precision": "AP MAP GMAP gm_map set_map SetAP",
    "bpref": "gm_bpref",
    "characters": "char_P character_precision char_R character_recall char_F character_F",
    "cube_test": "CT CubeTest ACT avg_CT CT_speed CT_lgc CT_pgc CT_lac CT_ltc",
    "d_ndcg": "D-nDCG Dsharp_nDCG D#-nDCG Dsharp-nDCG",
    "dcg": "nDCG",
    "document_counts": "num_q NumQ num_ret NumRet retrieved num_rel NumRel num_rel_ret NumRelRet num_nonrel_judged_ret",
    "effort": "last_rel WSS",
    "err": "ERR_IA ERR-IA nERR_IA nERR-IA",
    "expected_utility": "EGU EU expected_global_utility",
    "gain_averages": "ndcg_rel Rndcg G binG",
    "generalised_precision": "AgP MAgP",
    "inferred": "infAP xinfAP infNDCG iP inum_rel_ret inum_rel",
    "intent_aware": "P_IA P-IA MAP_IA MAP-IA AP_IA AP-IA strec StRecall st-recall aspectual_recall I_rec I-rec",
    "interpolated_characters": "char_iP AiP MAiP",
    "interpolated": "iprec iprec_at_recall 11pt_avg",
    "judged": "unjudged unj",
    "nrbp": "nNRBP",
    "precision": "R Recall P relative_P Rprec R_prec Rprec_mult Success RR recip_rank MRR",
    "passage_precision": "char_AP char_MAP passage2_MAP character_average_precision passage_AP passage_MAP",
    "pres": "PRES_est",
    "rbp": "RBP_residual",
    "reviewing": "norm_area area CG cg_total total_cg NCG cost total_cost loss_r loss_e loss_er",
    "search_speed": "answers_per_minute immediate_accuracy immediate_search_accuracy",
    "sets": "set_P SetP set_relative_P SetRelP set_recall SetR set_F SetF F Fprime utility",
    "statap": "statMAP",
    "subtopic_precision": "aspectual_P S_precision S-precision StPrec st-precision WS_precision WS-precision",
}
FILES = {name.lower(): file for file, names in _NAMES.items() for name in names.split()}
