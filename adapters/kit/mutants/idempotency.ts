import { Context, DateTime, Effect, Layer, Option } from "effect"
import { AccountId } from "../../../core/model/Account.ts"
import { layerMetadata } from "../../memory/index.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { IdempotencyStore, type Once } from "../../../core/ports/IdempotencyStore.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { TestRunStore } from "../../../core/ports/TestRunStore.ts"
import type { MetadataPorts } from "../../../core/ports/registry.ts"
import { altered, bothAltered, type MetadataFaults } from "./Mutant.ts"

/** Answers are kept, and looked for, as other ones. */
const keeping = (
  keep: (once: Once, kind: string) => Once,
  find: (store: IdempotencyStore["Service"]) => IdempotencyStore["Service"]["find"]
): Layer.Layer<MetadataPorts> =>
  Layer.flatMap(layerMetadata, (memory) => {
    const builds = Context.get(memory, BuildStore)
    const previews = Context.get(memory, PreviewStore)
    const runs = Context.get(memory, TestRunStore)
    const kept = <C extends { readonly once?: Once | undefined }>(change: C, kind: string): C =>
      change.once === undefined ? change : { ...change, once: keep(change.once, kind) }
    return Layer.succeedContext(
      memory.pipe(
        Context.add(BuildStore, {
          ...builds,
          commitReserve: (change) => builds.commitReserve(kept(change, "build"))
        }),
        Context.add(PreviewStore, {
          ...previews,
          commitReserve: (change) => previews.commitReserve(kept(change, "preview"))
        }),
        Context.add(TestRunStore, { ...runs, insert: (change) => runs.insert(kept(change, "run")) }),
        Context.add(IdempotencyStore, { find: find(Context.get(memory, IdempotencyStore)) })
      )
    )
  })

const withAnswer = (once: Once, answer: Partial<Once["answer"]>): Once => ({
  ...once,
  answer: { ...once.answer, ...answer }
})

/** Reserves a preview and then keeps the answer. */
const keepingLater = bothAltered(PreviewStore, IdempotencyStore, (previews, answers) => {
  const coming = new Set<string>()
  return [
    {
      commitReserve: Effect.fnUntraced(function* (change) {
        yield* previews.commitReserve(change)
        const keyHash = change.once?.answer.keyHash ?? ""
        coming.add(keyHash)
        yield* Effect.yieldNow
        coming.delete(keyHash)
      })
    },
    {
      find: (account, keyHash, now) => (coming.has(keyHash) ? Effect.succeedNone : answers.find(account, keyHash, now))
    }
  ]
})

export const idempotencyMutants: MetadataFaults = {
  "a reserve from an outdated version keeps no answer and leaves an expired one unchanged": {
    "keeps an answer apart from the commit that it belongs to": bothAltered(
      BuildStore,
      IdempotencyStore,
      (builds, answers) => {
        const apart = new Map<string, Once["answer"]>()
        return [
          {
            commitReserve: (change) =>
              Effect.tapErrorTag(builds.commitReserve(change), "Conflict", () =>
                Effect.sync(() => change.once && apart.set(change.once.answer.keyHash, change.once.answer))
              )
          },
          {
            find: (account, keyHash, now) =>
              Effect.map(answers.find(account, keyHash, now), (found) =>
                Option.isSome(found) ? found : Option.fromUndefinedOr(apart.get(keyHash))
              )
          }
        ]
      }
    )
  },
  "the reserve of a preview > is committed with its answer or not at all when it is interrupted at any moment": {
    "keeps an answer a moment after its commit": keepingLater
  },
  "the insert of a test run > isn't affected by another key or by the same key of another account": {
    "finds the answer that was kept for the same key of another account": keeping(
      (once) => withAnswer(once, { accountId: AccountId.make("anyone") }),
      (store) => (account, keyHash, now) =>
        Effect.map(
          store.find(AccountId.make("anyone"), keyHash, now),
          Option.map((answer) => ({ ...answer, accountId: account }))
        )
    )
  },
  "every kind of commit shares the same keys": {
    "keeps a key separately for each kind of request": keeping(
      (once, kind) => withAnswer(once, { keyHash: `${once.answer.keyHash} ${kind}` }),
      (store) =>
        Effect.fnUntraced(function* (account, keyHash, now) {
          for (const kind of ["build", "preview", "run"]) {
            const found = yield* store.find(account, `${keyHash} ${kind}`, now)
            if (Option.isSome(found)) return Option.some({ ...found.value, keyHash })
          }
          return Option.none()
        })
    )
  },
  "the first reserve of a build > keeps its answer with every field unchanged, which is found until it expires": {
    "finds an answer that has expired": altered(IdempotencyStore, (store) => ({
      find: (account, keyHash) => store.find(account, keyHash, DateTime.makeUnsafe(0))
    }))
  },
  "the first reserve of a build > uses the times that are given and not the engine's clock": {
    "finds answers by the engine's clock": altered(IdempotencyStore, (store) => ({
      find: (account, keyHash) => Effect.flatMap(DateTime.now, (now) => store.find(account, keyHash, now))
    }))
  },
  "the insert of a test run > is committed once when many use one key at once, and once more after the key has expired":
    {
      "replaces a kept answer that has not expired": keeping(
        (once) => ({ ...once, now: DateTime.makeUnsafe(8.64e15) }),
        (store) => store.find
      )
    },
  "the reserve of a preview > keeps an answer of a megabyte": {
    "cuts answers at 64 KiB": keeping(
      (once) => withAnswer(once, { sealedAnswer: once.answer.sealedAnswer.slice(0, 65_536) }),
      (store) => store.find
    )
  }
}
