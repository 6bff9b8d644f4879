// Package run decides about one judgement of one head: what is done in which
// order, when a lane is asked for, tried again, stopped or given up, and what the
// verdict is once all lanes have ended.
//
//	Start ─▶ run.started, workspace.requested ─▶ workspace.listed …, workspace.ready
//	      ─▶ lane.skipped or lane.requested … lane.began ─▶ finding.raised … lane.completed (each lane)
//	      ─▶ numbers.requested ─▶ verdict.reached, run.ended
//
// Every run ends with run.ended, after all its lanes; after it the stream takes
// nothing. The line for a slot is actors/pool, the money actors/account, and
// whether the verdict still matters actors/pr.
package run
