import { Effect, Option } from "effect"
import type { AccountId } from "../../model/Account.ts"
import type { NotFound } from "../../model/Problem.ts"
import { type Resource, nameOfResource } from "../../model/Resource.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { BuildStore } from "../../ports/BuildStore.ts"
import { PreviewStore } from "../../ports/PreviewStore.ts"
import { TestRunStore } from "../../ports/TestRunStore.ts"
import type { WriteFailure } from "../../ports/WriteFailure.ts"
import { makeCommitBuildDeletion, makeCommitPreviewDeletion, makeCommitRunDeletion } from "../commitDeletions.ts"
import type { Commands } from "./Commands.ts"
import { refuse } from "./refuse.ts"

const refuseResource = (resource: Resource) =>
  refuse(`There is no ${nameOfResource(resource)}, or its repository is not linked.`)

/** Deletes builds, previews and runs of any account. */
export const makeDeletionCommands = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const previews = yield* PreviewStore
  const builds = yield* BuildStore
  const runs = yield* TestRunStore
  const deleteBuild = yield* makeCommitBuildDeletion
  const deletePreview = yield* makeCommitPreviewDeletion
  const deleteRun = yield* makeCommitRunDeletion

  /** How people recognize the resource; `none` when it doesn't exist or its repository isn't linked. */
  const describe = (account: AccountId, resource: Resource) => {
    if ("build" in resource) {
      return Effect.map(
        builds.findById(account, resource.build),
        Option.map(
          ({ build: { branch, commitSha, platform }, repository: { owner, repo } }) =>
            `${owner}/${repo} ${branch} at ${commitSha.slice(0, 7)} (${platform})`
        )
      )
    }
    if ("preview" in resource) {
      return Effect.map(
        previews.findByShareId(account, resource.preview),
        Option.map(({ declaration: { git } }) =>
          [git.repo === undefined ? "" : `${git.owner ?? ""}/${git.repo}`, git.branch ?? ""].join(" ").trim()
        )
      )
    }
    return Effect.map(
      runs.find(account, resource.run),
      Option.map(({ repository: { owner, repo }, run }) => `${run.name ?? run.prompt ?? ""} of ${owner}/${repo}`)
    )
  }

  const find = Effect.fn("Administration.findResource")(function* (resource: Resource) {
    const account = Option.getOrUndefined(yield* accounts.findOwner(resource))
    if (account === undefined) return yield* refuseResource(resource)
    const name = Option.getOrUndefined(yield* describe(account.id, resource))
    return name === undefined ? yield* refuseResource(resource) : { account, name }
  })

  const deleteOf = (account: AccountId, resource: Resource): Effect.Effect<unknown, NotFound | WriteFailure> => {
    if ("build" in resource) return deleteBuild(account, resource.build)
    return "preview" in resource ? deletePreview(account, resource.preview) : deleteRun(account, resource.run)
  }

  const commands: Commands<"findResource" | "deleteResource"> = {
    findResource: ({ resource }) => find(resource),

    deleteResource: Effect.fn("Administration.deleteResource")(function* ({ resource }) {
      const found = yield* find(resource)
      yield* Effect.catchTag(deleteOf(found.account.id, resource), "NotFound", () => refuseResource(resource))
      return found
    })
  }
  return commands
})
