import { Effect, Option } from "effect"
import type { Account } from "../../model/Account.ts"
import type { Deletable } from "../../model/Deletable.ts"
import type { NotFound } from "../../model/Problem.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { BuildStore } from "../../ports/BuildStore.ts"
import { PreviewStore } from "../../ports/PreviewStore.ts"
import { TestRunStore } from "../../ports/TestRunStore.ts"
import type { WriteFailure } from "../../ports/WriteFailure.ts"
import { makeCommitBuildDeletion, makeCommitPreviewDeletion, makeCommitRunDeletion } from "../commitDeletions.ts"
import type { Commands } from "./Commands.ts"
import { nameOfResource } from "./names.ts"
import { refuse } from "./refuse.ts"

const refuseResource = (resource: Deletable) =>
  refuse(`There is no ${nameOfResource(resource)}, or its repository is not linked.`)

/** What one wants gone: a build, a preview or a run of any account. */
export const makeDeletionCommands = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const previews = yield* PreviewStore
  const builds = yield* BuildStore
  const runs = yield* TestRunStore
  const deleteBuild = yield* makeCommitBuildDeletion
  const deletePreview = yield* makeCommitPreviewDeletion
  const deleteRun = yield* makeCommitRunDeletion

  /** What an account calls its thing; `none` when it isn't the account's. */
  const nameIn = ({ id: account }: Account, resource: Deletable) =>
    "build" in resource
      ? Effect.map(
          builds.findById(account, resource.build),
          Option.map(
            ({ build: { branch, commitSha, platform }, repository: { owner, repo } }) =>
              `${owner}/${repo} ${branch} at ${commitSha.slice(0, 7)} (${platform})`
          )
        )
      : "preview" in resource
        ? Effect.map(
            previews.findByShareId(account, resource.preview),
            Option.map(({ declaration: { git } }) =>
              [git.repo === undefined ? "" : `${git.owner ?? ""}/${git.repo}`, git.branch ?? ""].join(" ").trim()
            )
          )
        : Effect.map(
            runs.find(account, resource.run),
            Option.map(({ repository: { owner, repo }, run }) => `${run.name ?? run.prompt ?? ""} of ${owner}/${repo}`)
          )

  const find = Effect.fn("Administration.findDeletable")(function* (resource: Deletable) {
    for (const account of yield* accounts.list) {
      const name = yield* nameIn(account, resource)
      if (Option.isSome(name)) return { account, name: name.value }
    }
    return yield* refuseResource(resource)
  })

  const commands: Commands<"findDeletable" | "deleteResource"> = {
    findDeletable: ({ resource }) => find(resource),

    deleteResource: Effect.fn("Administration.deleteResource")(function* ({ resource }) {
      const found = yield* find(resource)
      const { id } = found.account
      const deleting: Effect.Effect<unknown, NotFound | WriteFailure> =
        "build" in resource
          ? deleteBuild(id, resource.build)
          : "preview" in resource
            ? deletePreview(id, resource.preview)
            : deleteRun(id, resource.run)
      yield* Effect.catchTag(deleting, "NotFound", () => refuseResource(resource))
      return found
    })
  }
  return commands
})
