import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { AccountId } from "../model/Account.ts"
import { idPattern } from "../model/Text.ts"
import type { Reader } from "../model/ApiKey.ts"
import type { InvalidRequest, Unavailable } from "../model/Problem.ts"
import { ShareId, type Preview } from "../model/Preview.ts"
import { repositoryKey, type Repository } from "../model/Repository.ts"
import { PreviewStore } from "../ports/PreviewStore.ts"
import { RepositoryStore } from "../ports/RepositoryStore.ts"
import { TestHistoryStore, type BranchOfRuns, type FoundCiRun, type FoundTest } from "../ports/TestHistoryStore.ts"
import { inSpan } from "./telemetry.ts"

/** A branch of a repository, and when its last CI run began. */
interface FoundBranch extends BranchOfRuns {
  readonly repository: Repository
}

/** What a search found, each list the newest first and at most {@link maxFound} long. */
export interface Found {
  readonly repositories: ReadonlyArray<Repository>
  readonly tests: ReadonlyArray<FoundTest>
  readonly branches: ReadonlyArray<FoundBranch>
  /** The CI runs of the branch, the commits or the pull request that the text may name, then those that contain its words. */
  readonly ciRuns: ReadonlyArray<FoundCiRun>
  readonly preview: Option.Option<Preview>
}

/** How many entries each list of a search holds. */
const maxFound = 10

/** How many words of a text are sought. */
const maxWords = 10

/** The words of a text, which tests and CI runs are to contain. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .split(/\s+/)
    .filter((word) => word !== "")
    .slice(0, maxWords)

/** Of how many repositories branches are sought, those linked last, and of how many at once. */
const maxRepositories = 20
const maxConcurrentRepositories = 4

/** The pull request that a text may name: `#123` or `123`. */
const pullRequestOf = (text: string): number | undefined => {
  const [, digits] = /^#?(\d{1,9})$/.exec(text) ?? []
  return digits === undefined ? undefined : Number(digits)
}

/**
 * Finds what contains every word of a text, in any order: tests in their name, file, platform and app, or else in the device of their last
 * run too; newest CI runs in their source, branch, author and commit message; branches and repositories in their name. Also CI runs by the
 * whole name of their branch, the beginning of their commit (4 digits or more) or the number of their pull request, and a preview by its
 * id. A reader finds only what belongs to its own account and to a repository that it links.
 */
export class Search extends Context.Service<
  Search,
  {
    /** What fits a text, which isn't empty. */
    readonly find: (reader: Reader, text: string) => Effect.Effect<Found, InvalidRequest | Unavailable>
  }
>()("slipway/core/service/Search") {
  static readonly layer = Layer.effect(
    Search,
    Effect.gen(function* () {
      const histories = yield* TestHistoryStore
      const previews = yield* PreviewStore
      const linked = yield* RepositoryStore

      /** The branches of repositories whose name fits. */
      const branchesWith = Effect.fnUntraced(function* (
        account: AccountId,
        repositories: ReadonlyArray<Repository>,
        contains: (name: string) => boolean
      ) {
        const newest = repositories.toSorted((a, b) => DateTime.Order(b.linkedAt, a.linkedAt)).slice(0, maxRepositories)
        const perRepository = yield* Effect.forEach(
          newest,
          (repository) =>
            Effect.map(histories.branches(account, repositoryKey(repository.owner, repository.repo)), (branches) =>
              branches.flatMap((one) => (contains(one.branch) ? [{ ...one, repository }] : []))
            ),
          { concurrency: maxConcurrentRepositories }
        )
        return perRepository
          .flat()
          .toSorted((a, b) => DateTime.Order(b.lastAt, a.lastAt))
          .slice(0, maxFound)
      })

      const find = Effect.fnUntraced(function* ({ account }: Reader, text: string) {
        const pr = pullRequestOf(text)
        const commit = /^[\da-f]{4,64}$/i.test(text) ? text.toLowerCase() : undefined
        const words = wordsOf(text)
        const contains = (name: string) => words.every((word) => name.toLowerCase().includes(word.toLowerCase()))
        const {
          ciRuns,
          preview,
          repositories: [repositories, branches],
          tests
        } = yield* Effect.all(
          {
            tests: Effect.flatMap(histories.searchTests(account.id, { words, devices: false }, maxFound), (found) =>
              found.length > 0
                ? Effect.succeed(found)
                : histories.searchTests(account.id, { words, devices: true }, maxFound)
            ),
            ciRuns: Effect.all(
              [
                histories.searchCiRuns(account.id, { branch: text }, maxFound),
                ...(pr === undefined ? [] : [histories.searchCiRuns(account.id, { pr }, maxFound)]),
                ...(commit === undefined ? [] : [histories.searchCiRuns(account.id, { commit }, maxFound)]),
                histories.searchCiRuns(account.id, { words }, maxFound)
              ],
              { concurrency: "unbounded" }
            ),
            preview: idPattern.test(text)
              ? previews.findByShareId(account.id, ShareId.make(text))
              : Effect.succeed(Option.none()),
            repositories: Effect.flatMap(linked.list(account.id), (all) =>
              Effect.map(branchesWith(account.id, all, contains), (branches) => [all, branches] as const)
            )
          },
          { concurrency: "unbounded" }
        )
        return {
          repositories: repositories.filter(({ owner, repo }) => contains(`${owner}/${repo}`)).slice(0, maxFound),
          tests,
          branches,
          ciRuns: Array.from(
            new Map(ciRuns.flat().map((found) => [`${found.ciRun.repositoryId} ${found.ciRun.ciRun}`, found])).values()
          ).slice(0, maxFound),
          preview
        }
      }, inSpan("Search.find"))

      return Search.of({ find })
    })
  )
}
