import type { WorkflowRun, PinnedIds, RepositoryTrust } from "../model/RepositoryTrust.ts"

/** Whether a text fits a pattern, in which `*` stands for any characters. */
const fits = (pattern: string, value: string): boolean => {
  const [first = "", ...others] = pattern.split("*")
  const last = others.pop()
  if (last === undefined) return value === first
  if (!value.startsWith(first)) return false
  let from = first.length
  for (const part of others) {
    const at = value.indexOf(part, from)
    if (at < 0) return false
    from = at + part.length
  }
  return value.length - last.length >= from && value.endsWith(last)
}

/** Why a claim fits none of the patterns. */
const outside = (
  claim: string,
  value: string | undefined,
  patterns: ReadonlyArray<string> | undefined
): string | undefined =>
  patterns === undefined || (value !== undefined && patterns.some((pattern) => fits(pattern, value)))
    ? undefined
    : `${claim} ${value === undefined ? "is absent" : `is ${value}`}; the trust has ${patterns.join(", ")}`

/** Why ids are not those that are pinned. */
const otherThan = (pinned: PinnedIds | undefined, { owner, repository }: PinnedIds): string | undefined =>
  pinned === undefined || (pinned.owner === owner && pinned.repository === repository)
    ? undefined
    : `the ids of repository and owner are ${repository} and ${owner}; the trust has ${pinned.repository} and ${pinned.owner}`

const headsPrefix = "refs/heads/"

/** Why a trust doesn't cover a run of the repository's CI; `undefined` when it does. */
export const uncovered = (
  { conditions = {}, pinned }: Pick<RepositoryTrust, "conditions" | "pinned">,
  run: WorkflowRun
): string | undefined =>
  otherThan(pinned, run.ids) ??
  (run.event === "pull_request_target" && conditions.pullRequestTarget !== true
    ? "the event is pull_request_target, which the trust doesn't allow"
    : undefined) ??
  outside(
    "the ref",
    run.ref,
    conditions.branches?.map((branch) => headsPrefix + branch)
  ) ??
  outside("the environment", run.environment, conditions.environments) ??
  outside("the workflow", run.workflow, conditions.workflows)

/** What a trust asks of a run, for people: `branch main`, `environment production`. */
export const conditionsOf = ({
  conditions = {},
  pinned
}: Pick<RepositoryTrust, "conditions" | "pinned">): ReadonlyArray<string> => {
  const { branches = [], environments = [], pullRequestTarget, workflows = [] } = conditions
  return [
    ...branches.map((branch) => `branch ${branch}`),
    ...environments.map((environment) => `environment ${environment}`),
    ...workflows.map((workflow) => `workflow ${workflow}`),
    ...(pullRequestTarget === true ? ["pull_request_target allowed"] : []),
    ...(pinned === undefined ? [] : [`repository ${pinned.repository} of owner ${pinned.owner}`])
  ]
}
