import type { FairAccount, Repository, Scope } from "./FairHost.ts"

/** The account of a key, and its scopes. */
export interface Caller {
  readonly account: string
  readonly scopes: ReadonlyArray<Scope>
}

/**
 * Two accounts, each with a key of each combination of scopes and two repositories linked to it.
 */
export interface Accounts {
  readonly a: FairAccount
  readonly b: FairAccount
  readonly callers: ReadonlyMap<string, Caller>
  /** Whether the repository with exactly these names is linked to the account. */
  readonly isLinked: (account: string, repository: Repository) => boolean
}

/** `issue` makes a key. Names begin with the name of the host, so that no two hosts share one. */
export const makeAccounts = (host: string, issue: () => string): Accounts => {
  const callers = new Map<string, Caller>()
  const links = new Map<string, ReadonlyArray<Repository>>()

  const make = (name: string): FairAccount => {
    const key = (...scopes: ReadonlyArray<Scope>): string => {
      const issued = issue()
      callers.set(issued, { account: name, scopes })
      return issued
    }
    const linked = { owner: name, repo: "harbour" }
    const second = { owner: name, repo: "lighthouse" }
    links.set(name, [linked, second])
    return {
      name,
      linked,
      second,
      unlinked: { owner: name, repo: "drydock" },
      keys: {
        all: key("builds", "preview_upload", "test_runs"),
        builds: key("builds"),
        previewUpload: key("preview_upload"),
        testRuns: key("test_runs"),
        withoutBuilds: key("preview_upload", "test_runs"),
        withoutPreviewUpload: key("builds", "test_runs"),
        withoutTestRuns: key("builds", "preview_upload")
      }
    }
  }
  const isLinked = (account: string, { owner, repo }: Repository): boolean =>
    links.get(account)?.some((one) => one.owner === owner && one.repo === repo) === true
  return { a: make(`${host}-north`), b: make(`${host}-south`), callers, isLinked }
}
