import type { FairAccount, Repository, Scope } from "./FairHost.ts"

/** The account of a key, and its scopes. */
export interface Caller {
  readonly account: string
  readonly scopes: ReadonlyArray<Scope>
}

/**
 * Two accounts, each with a key of each combination of scopes and one repository linked to it: what is an account's is
 * that repository's.
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
  const links = new Map<string, Repository>()

  const make = (name: string): FairAccount => {
    const key = (...scopes: ReadonlyArray<Scope>): string => {
      const issued = issue()
      callers.set(issued, { account: name, scopes })
      return issued
    }
    const linked = { owner: name, repo: "harbour" }
    links.set(name, linked)
    return {
      name,
      linked,
      unlinked: { owner: name, repo: "drydock" },
      keys: {
        all: key("builds", "preview_upload", "test_runs"),
        builds: key("builds"),
        previewUpload: key("preview_upload"),
        testRuns: key("test_runs")
      }
    }
  }
  const isLinked = (account: string, { owner, repo }: Repository): boolean =>
    links.get(account)?.owner === owner && links.get(account)?.repo === repo
  return { a: make(`${host}-north`), b: make(`${host}-south`), callers, isLinked }
}
