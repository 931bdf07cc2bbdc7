/** Detects the CI that a process runs in, and reads what it knows of the run. */
import vendors from "ci-info/vendors.json" with { type: "json" }
import type { Provenance } from "./Provenance.ts"
import type { SourcedValue, Variables } from "./variables.ts"
import { ciVendors, type CiVendor } from "./vendors.ts"

/** The CI that a process runs in, as `ci-info` distinguishes them: by the variables that each of them sets. */
const ciOf = (env: Variables): CiVendor | undefined =>
  env["CI"] === "false"
    ? undefined
    : ciVendors.find(({ constant, sets }) => {
        const isSet = (name: unknown) => typeof name === "string" && (env[name] ?? "") !== ""
        if (sets !== undefined) return sets.some(isSet)
        const names = vendors.find((one) => one.constant === constant)?.env
        if (typeof names === "object" && !Array.isArray(names))
          return Object.entries(names).every(([name, value]) => env[name] === value)
        return [names].flat().every(isSet)
      })

/** What the branch of a merge queue of GitHub says, on any CI: what is merged into, and the last pull request of the group. */
const queuedIn = (branch: SourcedValue<string> | undefined) => {
  const [, base, pr] = /^gh-readonly-queue\/(.+)\/pr-(\d+)-[0-9a-f]{40}$/.exec(branch?.value ?? "") ?? []
  if (branch === undefined || base === undefined) return {}
  return { base: { value: base, from: branch.from }, pr: { value: Number(pr), from: branch.from } }
}

/** What a CI says of the run. */
export interface CiEnvironment {
  /** The name of the CI; `undefined` outside of one that is known. */
  readonly ci: string | undefined
  readonly provenance: Provenance
  /** The variables that say each field. */
  readonly from: { readonly [Field in keyof Provenance]?: string | undefined }
}

/** What the CI of this process says, which is nothing outside of one. An empty variable is one that isn't set. */
export const readCiEnvironment = async (env: Variables): Promise<CiEnvironment> => {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""))
  const ci = ciOf(set)
  if (ci === undefined) return { ci: undefined, provenance: {}, from: {} }
  const [run, attempt] = [ci.run(set), ci.attempt?.(set)]
  const found = await ci.provenance(set)
  const { author, branch, commit, commitMessage, isFork, job, owner, repo } = found
  const { base = found.base, pr = found.pr } = queuedIn(branch)
  return {
    ci: vendors.find(({ constant }) => constant === ci.constant)?.name ?? ci.name,
    provenance: {
      owner: owner?.value,
      repo: repo?.value,
      branch: branch?.value,
      commit: commit?.value,
      pr: pr?.value,
      base: base?.value,
      commitMessage: commitMessage?.value,
      author: author?.value,
      job: job?.value,
      source: run && `${ci.name}:${run.value}${attempt === undefined ? "" : `/${attempt.value}`}`,
      isFork
    },
    from: {
      owner: owner?.from,
      repo: repo?.from,
      branch: branch?.from,
      commit: commit?.from,
      pr: pr?.from,
      base: base?.from,
      source: run && [run, ...(attempt === undefined ? [] : [attempt])].map(({ from }) => from).join(", ")
    }
  }
}
