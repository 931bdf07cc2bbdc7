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

const refuseResource = (thing: Deletable) =>
  refuse(`There is no ${nameOfResource(thing)}, or its repository is not linked.`)

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
  const nameIn = ({ id: account }: Account, thing: Deletable) =>
    "build" in thing
      ? Effect.map(
          builds.findById(account, thing.build),
          Option.map(
            ({ build: { branch, commitSha, platform }, repository: { owner, repo } }) =>
              `${owner}/${repo} ${branch} at ${commitSha.slice(0, 7)} (${platform})`
          )
        )
      : "preview" in thing
        ? Effect.map(
            previews.findByShareId(account, thing.preview),
            Option.map(({ declaration: { git } }) =>
              [git.repo === undefined ? "" : `${git.owner ?? ""}/${git.repo}`, git.branch ?? ""].join(" ").trim()
            )
          )
        : Effect.map(
            runs.find(account, thing.run),
            Option.map(({ repository: { owner, repo }, run }) => `${run.name ?? run.prompt ?? ""} of ${owner}/${repo}`)
          )

  const find = Effect.fn("Administration.findDeletable")(function* (thing: Deletable) {
    for (const account of yield* accounts.list) {
      const name = yield* nameIn(account, thing)
      if (Option.isSome(name)) return { account, name: name.value }
    }
    return yield* refuseResource(thing)
  })

  const commands: Commands<"findDeletable" | "deleteThing"> = {
    findDeletable: ({ thing }) => find(thing),

    deleteThing: Effect.fn("Administration.deleteThing")(function* ({ thing }) {
      const found = yield* find(thing)
      const { id } = found.account
      const deleting: Effect.Effect<unknown, NotFound | WriteFailure> =
        "build" in thing
          ? deleteBuild(id, thing.build)
          : "preview" in thing
            ? deletePreview(id, thing.preview)
            : deleteRun(id, thing.run)
      yield* Effect.catchTag(deleting, "NotFound", () => refuseResource(thing))
      return found
    })
  }
  return commands
})
