import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { Provenance } from "./Provenance.ts"
import { repositoryOf } from "./remote.ts"

const run = promisify(execFile)

/** What git answers on one line; `undefined` where there is no git, no repository or no answer. */
const ask = (cwd: string, ...args: ReadonlyArray<string>): Promise<string | undefined> =>
  run("git", [...args], { cwd }).then(
    ({ stdout }) => stdout.trim() || undefined,
    () => undefined
  )

/**
 * The head commit of a commit that a CI made to try a merge: GitHub's is called `Merge <head> into <base>`, that of Jenkins
 * `Merge commit '<head>' into HEAD`. People's merges name branches.
 */
const merged = /^Merge (?:commit ')?([0-9a-f]{40})'? into /

/** What the checkout in a folder says. A detached one has no branch. */
export const readGitCheckout = async (cwd: string): Promise<Provenance> => {
  const [head, branch, remote] = await Promise.all([
    ask(cwd, "log", "-1", "--format=%H %s"),
    ask(cwd, "branch", "--show-current"),
    ask(cwd, "remote", "get-url", "origin")
  ])
  const [, sha, subject = ""] = /^([0-9a-f]{40}) (.*)$/.exec(head ?? "") ?? []
  return { ...repositoryOf(remote), branch, commit: merged.exec(subject)?.[1] ?? sha }
}

/** What the checkout says of a commit, if it has it: a CI often fetches only the merge that it made of a pull request. */
export const readCommit = async (
  cwd: string,
  commit: string
): Promise<Pick<Provenance, "author" | "commitMessage">> => {
  const shown = await ask(cwd, "log", "-1", "--format=%an%x00%B", commit)
  const [author, commitMessage] = shown?.split("\0") ?? []
  return { author, commitMessage }
}

/** The whole hash of the one commit of the checkout whose hash begins so, if there is one. */
export const commitOf = (cwd: string, beginning: string): Promise<string | undefined> =>
  ask(cwd, "rev-parse", "--verify", "--quiet", `${beginning}^{commit}`)
