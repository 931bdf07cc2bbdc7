import { Context, DateTime, Effect, Layer, Option } from "effect"
import { AccountId } from "../../../core/model/Account.ts"
import { layerMetadata } from "../../memory/index.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { IdempotencyStore } from "../../../core/ports/IdempotencyStore.ts"
import type { Once } from "../../../core/ports/IdempotencyStore.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { TestRunStore } from "../../../core/ports/TestRunStore.ts"
import type { MetadataPorts } from "../parts/MetadataPorts.ts"
import { altered } from "./Mutant.ts"
import type { Mutant } from "./Mutant.ts"

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

export const idempotencyMutants: ReadonlyArray<Mutant<MetadataPorts>> = [
  {
    fault: "keeps an answer apart from the commit that it belongs to",
    caughtBy:
      "IdempotencyStore > a reserve from an outdated version keeps no answer and leaves an expired one unchanged",
    adapter: Layer.flatMap(layerMetadata, (memory) => {
      const builds = Context.get(memory, BuildStore)
      const answers = Context.get(memory, IdempotencyStore)
      const apart = new Map<string, Once["answer"]>()
      return Layer.succeedContext(
        memory.pipe(
          Context.add(BuildStore, {
            ...builds,
            commitReserve: (change) =>
              Effect.tapErrorTag(builds.commitReserve(change), "Conflict", () =>
                Effect.sync(() => change.once && apart.set(change.once.answer.keyHash, change.once.answer))
              )
          }),
          Context.add(IdempotencyStore, {
            find: (account, keyHash, now) =>
              Effect.map(answers.find(account, keyHash, now), (found) =>
                Option.isSome(found) ? found : Option.fromUndefinedOr(apart.get(keyHash))
              )
          })
        )
      )
    })
  },
  {
    fault: "keeps an answer a moment after its commit",
    caughtBy:
      "IdempotencyStore > the reserve of a preview > is committed with its answer or not at all when it is interrupted at any moment",
    adapter: Layer.flatMap(layerMetadata, (memory) => {
      const previews = Context.get(memory, PreviewStore)
      const answers = Context.get(memory, IdempotencyStore)
      const coming = new Set<string>()
      return Layer.succeedContext(
        memory.pipe(
          Context.add(PreviewStore, {
            ...previews,
            commitReserve: Effect.fnUntraced(function* (change) {
              yield* previews.commitReserve(change)
              const keyHash = change.once?.answer.keyHash ?? ""
              coming.add(keyHash)
              yield* Effect.yieldNow
              coming.delete(keyHash)
            })
          }),
          Context.add(IdempotencyStore, {
            find: (account, keyHash, now) =>
              coming.has(keyHash) ? Effect.succeedNone : answers.find(account, keyHash, now)
          })
        )
      )
    })
  },
  {
    fault: "forgets whose key it was",
    caughtBy:
      "IdempotencyStore > the insert of a test run > isn't affected by another key or by the same key of another account",
    adapter: keeping(
      (once) => withAnswer(once, { accountId: AccountId.make("anyone") }),
      (store) => (account, keyHash, now) =>
        Effect.map(
          store.find(AccountId.make("anyone"), keyHash, now),
          Option.map((answer) => ({ ...answer, accountId: account }))
        )
    )
  },
  {
    fault: "keeps a key for every kind of request",
    caughtBy: "IdempotencyStore > every kind of commit shares the same keys",
    adapter: keeping(
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
  {
    fault: "finds an answer that has expired",
    caughtBy:
      "IdempotencyStore > the first reserve of a build > keeps its answer with every field unchanged, which is found until it expires",
    adapter: altered(IdempotencyStore, (store) => ({
      find: (account, keyHash) => store.find(account, keyHash, DateTime.makeUnsafe(0))
    }))
  },
  {
    fault: "keeps an answer past its time: its key can't be used again",
    caughtBy:
      "IdempotencyStore > the reserve of a preview > is a conflict that changes nothing until the kept answer expires",
    adapter: keeping(
      (once) => ({ ...once, now: DateTime.makeUnsafe(0) }),
      (store) => store.find
    )
  },
  {
    fault: "goes by the engine's clock",
    caughtBy:
      "IdempotencyStore > the first reserve of a build > uses the times that are given and not the engine's clock",
    adapter: altered(IdempotencyStore, (store) => ({
      find: (account, keyHash) => Effect.flatMap(DateTime.now, (now) => store.find(account, keyHash, now))
    }))
  },
  {
    fault: "lets a second answer take the place of the first",
    caughtBy:
      "IdempotencyStore > the insert of a test run > is committed once when many use one key at once, and once more after the key has expired",
    adapter: keeping(
      (once) => ({ ...once, now: DateTime.makeUnsafe(8.64e15) }),
      (store) => store.find
    )
  },
  {
    fault: "compares keys without regard to case",
    caughtBy:
      "IdempotencyStore > the insert of a test run > isn't affected by another key or by the same key of another account",
    adapter: keeping(
      (once) => withAnswer(once, { keyHash: once.answer.keyHash.toUpperCase() }),
      (store) => (account, keyHash, now) =>
        Effect.map(
          store.find(account, keyHash.toUpperCase(), now),
          Option.map((answer) => ({ ...answer, keyHash }))
        )
    )
  },
  {
    fault: "cuts answers at 64 KiB",
    caughtBy: "IdempotencyStore > the reserve of a preview > keeps an answer of a megabyte",
    adapter: keeping(
      (once) => withAnswer(once, { sealedAnswer: once.answer.sealedAnswer.slice(0, 65_536) }),
      (store) => store.find
    )
  }
]
