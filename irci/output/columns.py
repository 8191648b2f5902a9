"""The meanings of columns, said once: for headers, explanations, pages and man pages."""

# Columns that are printed with four significant digits, not four decimals.
P_VALUES = frozenset((
    "p", "p_adjusted", "p_best", "p_equivalence", "p_equivalence_adjusted", "p_not_worse", "p_not_worse_adjusted",
    "Q_p", "p_level", "p_all", "p_single_tailed",
))  # fmt: skip
# A line for each column, where its kind of table gives it no other meaning.
COLUMNS = {
    # estimates
    "measure": "the measure",
    "topic": "the topic, or all",
    "value": "the score; for all topics, their mean",
    "lower": "lower confidence limit",
    "upper": "upper confidence limit",
    "run": "the run",
    "corrected": "whether the limits are corrected for few relevant documents",
    "population": "what varies (topics, documents, ...)",
    "change": "where another judge tells of a claim and does not confirm it: whether the difference by QRELS less that by the"
    " judge is significantly other than 0 (changed), by a paired t test",
    "control": "what QRELS itself says on the documents that both judged, of a judge of a part"
    " of them; what it does not confirm there is not testable by the judge",
    "survives": "number of sources with other topics, seeds, collections or judges that confirm the claim (not confirmed: not"
    " significant, no evidence against it; reversed: other sign, significant; not testable: nothing can be told); what"
    " confirms it on these topics is not counted, as chance in the choice of topics passes it",
    "look": "the number of this look, the first is 1",
    "p_level": "what p_adjusted (p of a single pair) must not exceed at this look, for the level to hold for all looks",
    "boundary": "the same as a standard normal score",
    "p_all": "p that all sources that can be tested agree: the largest of each pair's, topics' among them, by Holm's method;"
    " counts are no such test",
    "clusters": "number of clusters",
    "collection": "the collection; all: the mean over collections",
    "slice": "the slice of the topics; all: all topics",
    "versions": "number of versions of the topics' queries",
    "seeds": "number of seeds of the run, which is a system; 0: it is not trained",
    "seeds_baseline": "number of seeds of the baseline",
    "sd_seeds": "the standard deviation, over its seeds, of a system's mean score",
    "sd_seeds_component": "the part of the standard error that is due to seeds",
    "passes": "number of passes of the judge",
    "sd_passes": "standard deviation, over passes, of the mean or the difference of means",
    "passes_needed": "passes that would bring the judge's share below a tenth, estimated",
    "estimator": "human: people's judgments alone; ppi: with the judge's on all topics (prediction-powered)",
    "human": "topics that people judged",
    "others": "further topics, which the judge alone judged",
    "lambda": "how much the judge's scores count; 0: not at all",
    "r": "correlation between the judge's scores and people's, over the human topics",
    "gain": "width of the interval, divided by the width without the judge",
    "judge_mean": "the judge's own mean over all topics, which is no estimate of people's",
    "sd_documents": "the part of the standard error that is due to documents",
    "sd_topics": "the part of the standard error that is due to topics",
    "sd": "standard deviation of the scores over topics",
    "topics": "number of topics",
    # differences, effects combined over topics, ranks
    "baseline": "the run it is compared with",
    "p": "two-sided p-value of no difference",
    "p_adjusted": "p adjusted for the number of pairs",
    "p_best": "the largest p of t tests of this run against each other one: if it is small, no other one of the"
    " runs given is better",
    "lower_adjusted": "lower limit adjusted for the number of pairs: with holm and maxt all pairs' limits hold at once"
    "; with bh at most alpha of those given"
    " miss, on average over experiments, and pairs that are not significant have none",
    "upper_adjusted": "upper limit adjusted likewise",
    "p_equivalence": "p-value of the null hypothesis of a difference of the margin or more, either way",
    "p_equivalence_adjusted": "p_equivalence adjusted for the number of pairs shown, by Holm's method",
    "p_not_worse": "p-value of the null hypothesis that the run is worse by the margin or more",
    "p_not_worse_adjusted": "p_not_worse adjusted for the number of pairs shown, by Holm's method",
    "detectable": "true difference that a t test of this pair alone finds with probability .8; inf if there is no such"
    " difference on this scale; nan where p is McNemar's",
    "topics_needed": "topics needed to find, with probability .8, a true difference as large as the 80% lower limit of this"
    " one, inf if that is 0; at least 20 where p is McNemar's",
    "effect_lower": "lower confidence limit of the effect size",
    "effect_upper": "upper confidence limit of the effect size",
    "verdict": "what the topics show about the pair: better or worse (significantly); equivalent (within the margin both"
    " ways); not worse (by the margin or more); inconclusive; identical; missing (a run lacks too many topics)",
    "reason": "why the verdict says no more: negligible (significant, but within the margin); few-differ (too few topics"
    " differ to know what rare ones may do); unresolvable (no outcome on these topics would be significant); or why there are"
    " no limits: ties (with the judge, as half or more of the human topics hardly differ)",
    "effect_size": "mean difference divided by the standard deviation of the differences",
    "test": "the test that p comes from",
    "left_out": "topics left out: a score of exactly 0 or 1, or rankings that cannot score differently",
    "Q": "Cochran's Q: how much the topics' effects differ beyond chance",
    "p_single_tailed": "Stouffer's p as the paper has it, 1 - Phi(z): small if the run is better; p is two-sided",
    "Q_p": "p-value of Q",
    "I2": "share of the variation of the effects that is not chance",
    # unjudged documents
    "judged": "share of the documents looked at that are judged: of the first k with a cutoff, else of those retrieved",
    "bounds": "exact; outer: perhaps no grades reach them, so that true bounds may be narrower and an undetermined sign"
    " determined; two-grade: for unjudged documents of grade 0 or the highest alone, beyond which grades between may go",
    "residual": "what rbp would gain if all that is unknown had the highest gain",
    "sign": "determined: no grades of unjudged documents would change the sign of the difference; undetermined: some might",
    "letters": "runs sharing a letter are not significantly different",
    "ranked_by": "the measure that ranks the runs",
    # analysis of variance
    "table": "the table and its measure",
    "source": "source of variation",
    "df": "degrees of freedom",
    "ss": "sum of squares",
    "F": "mean square divided by that of the error (of topic in model nested: by that of version(topic))",
    "omega2": "share of the variance due to this source (omega squared)",
    "model": "the model fitted",
    "split": "number of the split; 0 is the whole collection",
    "part": "number of the part, or name of the version",
    "tau": "Kendall's tau between the order of systems on this part (or version) and on the whole (or on average)",
    "relevant_min": "fewest relevant documents of a topic in this part",
    "imbalance": "this part's largest share of a topic's relevant documents, times the number of parts",
    "alpha": "level of significance",
    "pairs": "number of pairs of systems",
    "percent": "pairs as a percentage of all pairs",
    "correction": "how p-values are adjusted for the number of pairs, or by which test that allows for it",
    "between": "the criteria: splits, two tests, or fits of a pair of one team with all systems (across) and without (within)",
    "difference": "difference between the two systems' means",
    "decision": "> or < where the pair differs significantly at the first level, else =",
    # validation
    "interval": "kind of interval, and how it was made",
    "below": "percentage of the scores on the other half that lie below the interval",
    "in": "percentage of them in the interval",
    "above": "percentage of them above the interval",
    "predicted": "percentage that the model predicts in the interval",
    "direction": "which half the intervals are from: A, B or both",
    "relevant": "which topics count: all, or those with this many relevant documents",
    # type I errors of samples of topics
    "sigma": "whether the standard deviation is known or estimated",
    "raw": "the mean of the scores as they are, or the score",
    "lower_raw": "lower limit of that mean",
    "upper_raw": "upper limit of that mean",
    "reference": "the systems that scores are standardised by",
    # error rates and swaps
    "size": "topics (or units) in a set",
    "units": "what sets are made of, and sizes count, in place of topics",
    "rate": "share of comparisons in which a set disagrees with most sets",
    "ties": "share of comparisons that are ties",
    "better": "number of sets that find the run better than the baseline",
    "worse": "number of sets that find it worse",
    "fuzziness": "a difference smaller than this percentage of the smaller score is a tie",
    "sets": "query sets in a draw",
    "draws": "how often query sets are drawn",
    "comparisons": "number of comparisons",
    "extrapolated": "whether this size lies outside the sizes that the curve was fitted to",
    "share": "share of pairs that differ significantly at this level",
    # two sets of judgments
    "judge": "whose judgments are compared with QRELS: the name of their file",
    "AA": "pairs that differ significantly under both judges, in the same direction",
    "AD": "pairs that differ significantly under both, in opposite directions",
    "MA": "pairs that differ significantly under one judge, the means in the same direction under both",
    "MD": "pairs that differ significantly under one judge, the means in opposite directions",
    "PA": "pairs that differ significantly under neither, the means in the same direction",
    "PD": "pairs that differ significantly under neither, the means in opposite directions",
    "bias": "1 - AA/(AA + AD + (MA + MD)/2)",
    "unconfirmed": "of the pairs that differ significantly under the judge, the share that QRELS does not confirm",
    "missed": "of the pairs that differ significantly under QRELS, the share that the judge does not find",
    "documents": "number of documents that both have judged",
    "grade": "grade by QRELS",
    "grade_judge": "grade by the judge",
    # topics needed
    "tool": "what is planned (paired: t test or interval of a pair, by the variance of its differences; anova:"
    " ANOVA of several systems, by the variance within systems; ci: interval of a difference of two, by that"
    " variance)",
    "kind": "which variance it is, or is based on (median of pairs, 90th percentile of pairs: of a pair's"
    " differences, as large as for half of all pairs of runs, enough for nine in ten; pair: of the only pair's"
    " differences; one-way: within systems; two-way: what is left after topics and systems; independent-pair: two"
    " systems that vary independently; best-worst: best and worst of several; correlation: no variance: the"
    " correlation between the judge's scores and people's)",
    "icc": "correlation between the scores of two topics of a cluster",
    "alone": "the same without the judge",
    "systems": "number of systems",
}  # fmt: skip
