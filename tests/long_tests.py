"""The tests that run only with ``ANNOTATOR_LONG=1``: with reasons and minutes on a quiet two-core machine.

A test belongs here when it checks what only a release needs (environments of other programs, installers)
or repeats a shorter test of the suite for many minutes (campaigns, fuzzing). Everything else runs every time.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class LongTest:
    """A file, a test or one case of a test, as pytest names it below ``tests/``."""

    test: str
    minutes: float
    reason: str

    def covers(self, node_id: str) -> bool:
        """Return whether this entry names a test or what holds it."""
        name = f"tests/{self.test}"
        return node_id == name or node_id.startswith((f"{name}::", f"{name}["))


LONG_TESTS = (
    LongTest(
        test="store/test_planted_faults.py::test_damage_of_ten_thousand_files_is_told_as_damage",
        minutes=30,
        reason="Runs a command on each of ten thousand files that are damaged at random; five are in the suite.",
    ),
    LongTest(
        test="store/test_planted_faults.py::test_all_faults_are_found",
        minutes=15,
        reason="Checks more than two thousand files whole; one of each kind is checked in the suite.",
    ),
    LongTest(
        test="answers/test_peers_slow.py",
        minutes=3,
        reason="Makes environments for other programs that extract answers and compares with each of them.",
    ),
    LongTest(
        test="formats/test_consumers_slow.py",
        minutes=12,
        reason="Makes environments for published graders and lets each of them score an exported release.",
    ),
    LongTest(
        test="metrics/test_win_rates.py::test_a_thousand_studies_are_covered_and_unbiased",
        minutes=4,
        reason="Simulates 20,000 studies; the suite simulates 600 of the smallest.",
    ),
    LongTest(
        test="services/bugs/test_bug_languages.py::test_bugs_are_proven_by_the_language_itself[typescript]",
        minutes=1,
        reason="Compiles every proposed bug; JavaScript and SQL take the same path in the suite.",
    ),
    LongTest(
        test="services/bugs/test_bug_languages.py::test_bugs_are_proven_by_the_language_itself[java]",
        minutes=2,
        reason="Compiles every proposed bug; JavaScript and SQL take the same path in the suite.",
    ),
    LongTest(
        test="services/bugs/test_bug_languages.py::test_bugs_are_proven_by_the_language_itself[c++]",
        minutes=2,
        reason="Compiles every proposed bug; JavaScript and SQL take the same path in the suite.",
    ),
    LongTest(
        test="services/project/test_recovery.py::test_what_can_be_read_comes_out_sound_after_more_damage",
        minutes=1,
        reason="Repeats the test above it with five more seeds.",
    ),
    LongTest(
        test="services/prompt/test_completion_items.py::test_all_items_prove_or_say_why_not",
        minutes=5,
        reason="Proves all 164 items of HumanEval; the suite proves a sample.",
    ),
    LongTest(
        test="faults/test_days_apart.py",
        minutes=30,
        reason="Does more than ten thousand acts in a hundred sessions; merging copies is tested in the suite.",
    ),
    LongTest(
        test="faults/test_fault_campaign.py::test_killed_two_hundred_times",
        minutes=10,
        reason="Repeats the short kill test 200 times.",
    ),
    LongTest(
        test="faults/test_fault_campaign.py::test_the_disk_is_full[20]",
        minutes=3,
        reason="Repeats the short test 20 times.",
    ),
    LongTest(
        test="faults/test_fault_campaign.py::test_the_permission_is_lost[20]",
        minutes=3,
        reason="Repeats the short test 20 times.",
    ),
    LongTest(
        test="sandbox/test_engine.py::test_killed_containers_lose_no_job_and_leave_nothing[200]",
        minutes=1.2,
        reason="Repeats the short test of 10 killed containers with 200.",
    ),
    LongTest(
        test="sandbox/test_verdicts_dev.py",
        minutes=3,
        reason="Runs 300 jobs that lie beside the project; the suite has programs of its own for every language.",
    ),
    LongTest(
        test="sandbox/test_natural_programs.py::test_more_programs_get_their_verdicts",
        minutes=3,
        reason="Compiles programs that differ from those of the suite in the answer, not in how tests are written.",
    ),
    LongTest(
        test="sandbox/test_program_verdicts.py::test_more_right_programs_pass_and_wrong_ones_do_not",
        minutes=1,
        reason="Compiles programs that differ from those of the suite in the answer, not in how tests are written.",
    ),
    *(
        LongTest(
            test=f"sandbox/test_program_verdicts.py::test_answers_in_many_styles_get_their_verdicts[{language}]",
            minutes=0.3,
            reason="Compiles more answers in the styles of the suite (sandbox/test_natural_programs.py).",
        )
        for language in ("c#", "c++", "go", "java", "r", "rust")
    ),
    LongTest(
        test="sandbox/test_interrupted_commands.py::test_a_proof_ends_and_those_before_it_are_kept[2]",
        minutes=0.3,
        reason="Ctrl+C takes the path of the other signal, and the suite sends it to a run.",
    ),
    LongTest(
        test="sandbox/test_interrupted_commands.py::test_a_run_and_its_scores_end_and_what_was_scored_is_kept[15]",
        minutes=0.8,
        reason="The suite sends the other signal to a run, and this one to a proof.",
    ),
    LongTest(
        test="store/test_sharing.py::test_eight_clients_five_thousand_subjects_and_kills",
        minutes=6,
        reason="Repeats the short test of four clients with eight, 5,000 subjects and 40 kills.",
    ),
    LongTest(
        test="services/judge/test_blind_judging.py::test_five_raters_and_items_of_known_truth[file-275]",
        minutes=0.8,
        reason="Repeats the study of 55 items with 275.",
    ),
    LongTest(
        test="services/runs/test_batches.py::test_items_with_errors_score_as_by_single_requests[1000]",
        minutes=0.2,
        reason="Repeats the batch of 200 items with 1,000.",
    ),
    LongTest(
        test="evaluation/test_engine.py::test_items_by_five_samples_over_every_fault[whole-500]",
        minutes=0.4,
        reason="Repeats the run of 60 items with 500.",
    ),
    LongTest(
        test="evaluation/test_engine.py::test_items_by_five_samples_over_every_fault[stream-500]",
        minutes=0.4,
        reason="Repeats the run of 60 items with 500.",
    ),
    LongTest(
        test="evaluation/test_own_libraries.py::test_what_the_item_needs_is_machinery_and_what_the_answer_wants_is_not[more]",
        minutes=0.4,
        reason="Repeats what the suite tries in one language in others, most of which are compiled.",
    ),
    LongTest(
        test="evaluation/test_kill.py::test_kills_and_resumes[3]",
        minutes=0.3,
        reason="Repeats the test of two kills with a third.",
    ),
    LongTest(
        test="e2e/test_newcomer.py::test_with_the_sample_its_tour_and_every_empty_page",
        minutes=3,
        reason="Walks through every page by mouse and keyboard, in light and dark; pictures for a release.",
    ),
    LongTest(
        test="criteria/test_infibench.py::test_verdicts_of_tests_are_the_published_ones_but_for_two_cases",
        minutes=5,
        reason="The replay of a run compares the same verdicts (services/runs/test_infibench_replay.py).",
    ),
    LongTest(
        test="e2e/test_bench_figures.py::test_scoring_is_measured_beside_its_peers",
        minutes=0.5,
        reason="Runs a benchmark beside its peers; benchmarks are run before a release.",
    ),
    LongTest(
        test="sandbox/test_starts.py::test_unit_tests_are_measured_beside_bare_forks_of_them",
        minutes=0.6,
        reason="Runs a benchmark beside its floor; benchmarks are run before a release.",
    ),
    LongTest(
        test="e2e/test_kill.py::test_no_acknowledged_decision_is_lost[50]",
        minutes=1,
        reason="Repeats the short test with 50 kills.",
    ),
    LongTest(
        test="faults/test_lost_locks.py::test_lost_locks_lose_no_act[guarded-200]",
        minutes=6,
        reason="Repeats the short test with 200 rounds.",
    ),
    LongTest(
        test="faults/test_lost_locks.py::test_lost_locks_lose_no_act[bare-200]",
        minutes=10,
        reason="Repeats the short test with 200 rounds.",
    ),
    *(
        LongTest(
            test=f"faults/test_killed_while_typing.py::test_a_killed_window_loses_at_most_the_last_second[{place}]",
            minutes=0.3,
            reason="Types into the criterion; the suite types into the prompt, whose drafts take the same path.",
        )
        for place in (1, 2)
    ),
    LongTest(
        test="faults/test_killed_while_typing.py::test_a_window_killed_at_many_moments_loses_at_most_the_last_second",
        minutes=25,
        reason="Repeats the short test 97 times.",
    ),
    LongTest(
        test="services/runs/test_infibench_replay.py::test_a_replay_run_gives_the_published_scores[10]",
        minutes=5,
        reason="Replays ten answers to each case by two models; the suite replays one by one of them.",
    ),
    LongTest(
        test="sandbox/test_many_answers.py::test_every_answer_of_a_run_gets_its_outcome[500-50]",
        minutes=2,
        reason="Repeats the run of 60 answers with 500.",
    ),
    LongTest(
        test="services/runs/test_hostile_endpoint.py::test_five_hundred_items_by_three_with_two_kills",
        minutes=3,
        reason="A run of 1,500 requests; test_interruptions kills a smaller one in the suite.",
    ),
    LongTest(
        test="services/runs/test_hostile_endpoint.py::test_what_is_bad_hardly_slows_down_what_is_good",
        minutes=3,
        reason="Measures the speed of two runs of 1,500 requests.",
    ),
    LongTest(
        test="faults/test_campaigns.py::test_two_windows_and_a_command_on_a_file[600-300]",
        minutes=12,
        reason="Repeats the campaign of 8 seconds for ten minutes.",
    ),
    LongTest(
        test="faults/test_campaigns.py::test_four_windows_on_a_server[300-1000]",
        minutes=7,
        reason="Repeats the campaign of 10 seconds for five minutes with 1,000 candidates.",
    ),
    LongTest(
        test="services/prompt/test_suggested_rewrites.py::test_from_a_mined_function_to_items_without_an_override",
        minutes=1,
        reason="Checks a suggested rewrite in five languages; the suite checks others with recorded outcomes.",
    ),
    LongTest(
        test="services/prompt/test_rewrite_items.py::test_a_rewrite_becomes_proven_items[five]",
        minutes=3,
        reason="Repeats the test of two languages with five.",
    ),
    LongTest(
        test="construction/test_foreign_understanding.py::test_items_are_made_of_followed_calls[c++]",
        minutes=0.5,
        reason="Compiles eleven programs; the method of a class in C++ takes the same path in the suite.",
    ),
    LongTest(
        test="construction/test_bugs.py::test_operators_on_more_code",
        minutes=0.5,
        reason="Repeats the test above it with four times as many files.",
    ),
    LongTest(
        test="services/criterion/test_mutation_survivors.py::test_changes_of_scripts_come_with_the_test_that_notices_them[typescript]",
        minutes=1,
        reason="Compiles every change; JavaScript takes the same path in the suite.",
    ),
    LongTest(
        test="ui/pages/select/test_undo_shows_its_item.py::test_the_next_key_decides_what_the_header_shows[100]",
        minutes=0.3,
        reason="Repeats the 30 random steps with 100.",
    ),
    LongTest(
        test="ui/pages/desk/test_desk.py::test_items_from_import_to_proven_by_keys[10]",
        minutes=0.3,
        reason="Repeats the test of three items with ten.",
    ),
)
