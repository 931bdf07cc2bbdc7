import { must } from "./Requirement.ts"
import type { Requirement } from "./Requirement.ts"

/** The sentences about test runs, and those about everything as far as they bear on test runs. */
export const testRuns: ReadonlyArray<Requirement> = [
  must(
    "service.run-points-at-preview",
    "1",
    "A test run is a registered result that points at an already uploaded preview."
  ),
  must("runs.register.fields", "2.7", "A registration takes the fields of the table in their formats."),
  must("runs.kind", "2.7", "`kind` is required and is `maestro` or `detox`."),
  must("runs.name-or-prompt", "2.7", "`name`, `prompt`, or both are provided."),
  must(
    "runs.status-exactly-passed",
    "2.7",
    "A run is stored as passed only when `status` is exactly `passed`; any other value is stored as failed."
  ),
  must("runs.failure-optional", "2.7", "`failureMessage` and `failedStepIndex` are optional, for failed runs."),
  must("runs.preview-share-id", "2.7", "`previewShareId` is the `shareId` of an uploaded preview."),
  must(
    "runs.register.urls",
    "2.7",
    "The response has `previewUrl` and `traceUrl`, absolute URLs on the hosted viewer host."
  ),
  must(
    "runs.transition.stored",
    "3",
    "A run whose preview belongs to the account is stored as passed if `status` is exactly `passed`, else as failed."
  ),
  must("runs.register.endpoint", "4.9", "POST /api/v1/test-runs with the fields of a run registers it."),
  must(
    "runs.register.absolute-urls",
    "4.9",
    "The response includes absolute `previewUrl` and `traceUrl` on the hosted viewer host."
  ),
  must(
    "runs.register.own-preview",
    "4.9",
    "The preview that `previewShareId` names must belong to the authenticated account."
  ),
  must(
    "runs.list.repository-linked",
    "4.10",
    "`org` and `repo` are required and must identify a repository linked to the authenticated account."
  ),
  must("runs.list.filters", "4.10", "`branch`, `kind`, `status`, `source` and `pr` are optional filters."),
  must("runs.list.limit-clamped", "4.10", "`limit` is optional and clamped to the range 1 to 100."),
  must("runs.list.newest-first", "4.10", "The list is newest first."),
  must("auth.scope-runs", "5", "The test-runs endpoints require the scope `test_runs`."),
  must(
    "auth.run-visibility",
    "5",
    "Another account's repositories and previews are not visible to whoever registers or lists runs."
  ),
  must("limits.runs-limit", "8", "`limit` of the list of test runs is clamped to 1 through 100.")
]
