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
    caughtBy: "IdempotencyStore > a build whose version has moved keeps no answer, and leaves an expired one as it was",
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
      "IdempotencyStore > the reserve of a preview > that is interrupted at any moment is made with its answer, or neither",
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
      "IdempotencyStore > the insert of a test run > doesn't meet another key, nor the same key of another account",
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
    caughtBy: "IdempotencyStore > a key is one key for every kind of commit",
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
      "IdempotencyStore > the first reserve of a build > keeps its answer, every field as it was, and it is found until it expires",
    adapter: altered(IdempotencyStore, (store) => ({
      find: (account, keyHash) => store.find(account, keyHash, DateTime.makeUnsafe(0))
    }))
  },
  {
    fault: "keeps an answer past its time: its key can't be used again",
    caughtBy:
      "IdempotencyStore > the reserve of a preview > is a conflict and changes nothing while an answer is kept, until that expires",
    adapter: keeping(
      (once) => ({ ...once, now: DateTime.makeUnsafe(0) }),
      (store) => store.find
    )
  },
  {
    fault: "goes by the engine's clock",
    caughtBy:
      "IdempotencyStore > the first reserve of a build > goes by the times that are given, whatever the engine's clock says",
    adapter: altered(IdempotencyStore, (store) => ({
      find: (account, keyHash) => Effect.flatMap(DateTime.now, (now) => store.find(account, keyHash, now))
    }))
  },
  {
    fault: "lets a second answer take the place of the first",
    caughtBy:
      "IdempotencyStore > the insert of a test run > of many with one key at once exactly one is committed, the first time and when it has expired",
    adapter: keeping(
      (once) => ({ ...once, now: DateTime.makeUnsafe(8.64e15) }),
      (store) => store.find
    )
  },
  {
    fault: "compares keys without regard to case",
    caughtBy:
      "IdempotencyStore > the insert of a test run > doesn't meet another key, nor the same key of another account",
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
