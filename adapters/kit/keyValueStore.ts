/** The contract of a `KeyValueStore` itself: a fault of an engine is named here, and not by what a port makes of it. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, type Scope } from "effect"
import { type KeyValueStore, type Range, runOn, type Transaction } from "../key-value/KeyValueStore.ts"
import { layerMetadata } from "../key-value/index.ts"
import { metadataSuite } from "./metadata.ts"
import { metadataSnapshotSuite } from "./metadataSnapshot.ts"
import { FailingEngine } from "./parts/commits.ts"
import { Damage, withKeptLog } from "./parts/suite.ts"

const everything: Range = { from: "", to: "\u007f", limit: 1000, reverse: false }
const keysIn = async (tx: Transaction, range: Partial<Range> = {}) =>
  (await tx.list({ ...everything, ...range })).map(({ key }) => key)
const setAll = async (tx: Transaction, keys: ReadonlyArray<string>) => {
  for (const key of keys) await tx.set(key, `"${key}"`)
}

/** Names how a text differs, without showing a value of megabytes. */
const assertSame = (text: string | undefined, expected: string, call: string, part: string): void => {
  if (text === expected) return
  const found = text === undefined ? `no ${part}` : `a ${part} of ${text.length} characters`
  assert.fail(`${call} returns ${found}, not the stored ${part} of ${expected.length}`)
}

/**
 * Runs every case of metadata on a key-value store, which `open` opens for each of them: first those of its own contract, then those of
 * each port and of snapshots, with two hosts and an engine that fails in the middle. `maxValueBytes` is that of `layerMetadata`, for
 * engines that limit values.
 */
export const keyValueSuite = (
  name: string,
  open: Effect.Effect<OpenedKeyValueStore, unknown, Scope.Scope>,
  options: { readonly maxValueBytes?: number } = {}
): void => {
  keyValueContract(name, open, options)
  keyValueMetadataSuites(name, open, options)
}

/** The cases of the contract of a store itself. */
export const keyValueContract = (
  name: string,
  open: Effect.Effect<OpenedKeyValueStore, unknown, Scope.Scope>,
  { maxValueBytes = 2 * 1024 ** 2 }: { readonly maxValueBytes?: number } = {}
): void => {
  const check = (
    promise: string,
    steps: (
      run: ReturnType<typeof runOn>,
      other: ReturnType<typeof runOn>
    ) => Effect.Effect<unknown, unknown, Scope.Scope>
  ) =>
    it.live(promise, () =>
      Effect.gen(function* () {
        const { another, store } = yield* open
        const run = runOn(store)
        const keys = yield* run((tx) => keysIn(tx))
        assert.deepStrictEqual(keys, [], "`open` must return an empty store for each case, but this one has keys")
        yield* steps(run, runOn(another ?? store))
      }).pipe(Effect.scoped, withKeptLog)
    )

  describe(`KeyValueStore on ${name}`, () => {
    check("shows `another` what `store` committed, and the reverse", (run, other) =>
      Effect.gen(function* () {
        yield* run((tx) => tx.set("a", "1"))
        assert.strictEqual(yield* other((tx) => tx.get("a")), "1", "get of `another` after a commit of `store`")
        yield* other((tx) => tx.set("a", "2"))
        assert.strictEqual(yield* run((tx) => tx.get("a")), "2", "get of `store` after a commit of `another`")
      })
    )

    for (const [kind, key, value] of [
      ["an empty value", "a", ""],
      ["a value with every kind of character", "a", JSON.stringify('ü 😀 % \\ " \u0000 \ud800')],
      ["a value of the largest size", "a", "v".repeat(maxValueBytes)],
      ["a key of 500 bytes", "k".repeat(500), "1"],
      ["a key with spaces at its ends", "  a  ", "1"],
      ["a key with percent signs and punctuation", "a%2Fb/c!~*'()-_.", "1"]
    ] as const) {
      check(`returns ${kind} unchanged`, (run, other) =>
        Effect.gen(function* () {
          yield* run((tx) => tx.set(key, value))
          assertSame(yield* other((tx) => tx.get(key)), value, "get", "value")
          const [entry] = yield* other((tx) => tx.list(everything))
          assertSame(entry?.key, key, "list", "key")
          assertSame(entry?.value, value, "list", "value")
        })
      )
    }

    check("keeps keys apart that differ in case, or where one begins with the other", (run) =>
      Effect.gen(function* () {
        const keys = ["A", "a", "a/", "a/b", "a0"]
        yield* run((tx) => setAll(tx, keys.toReversed()))
        assert.deepStrictEqual(yield* run((tx) => keysIn(tx)), keys)
      })
    )

    check("lists a range from its first key to before its end, by code unit", (run) =>
      Effect.gen(function* () {
        yield* run((tx) => setAll(tx, ["b", "B", "a10", "a2", "c"]))
        const keysOf = (range: Partial<Range>) => run((tx) => keysIn(tx, range))
        assert.deepStrictEqual(yield* keysOf({}), ["B", "a10", "a2", "b", "c"])
        assert.deepStrictEqual(yield* keysOf({ from: "a10", to: "b" }), ["a10", "a2"])
        assert.deepStrictEqual(yield* keysOf({ from: "a10\0", to: "c" }), ["a2", "b"], "a key and a NUL follow the key")
        assert.deepStrictEqual(yield* keysOf({ from: "b", to: "a10" }), [], "the end is before the beginning")
        assert.deepStrictEqual(yield* keysOf({ limit: 2 }), ["B", "a10"])
        assert.deepStrictEqual(yield* keysOf({ limit: 2, reverse: true }), ["c", "b"])
        const reversed = yield* keysOf({ from: "a10", to: "b", reverse: true })
        assert.deepStrictEqual(reversed, ["a2", "a10"], "the same range in reverse")
      })
    )

    check("removes what an earlier transaction stored, and no key that begins with it", (run, other) =>
      Effect.gen(function* () {
        yield* run((tx) => setAll(tx, ["a", "a/b", "ab"]))
        yield* run((tx) => tx.remove("a"))
        assert.isUndefined(yield* other((tx) => tx.get("a")), "get after remove and commit")
        assert.deepStrictEqual(yield* other((tx) => keysIn(tx)), ["a/b", "ab"], "list after remove and commit")
      })
    )

    check("shows a transaction its own writes, to get and to list", (run) =>
      Effect.gen(function* () {
        const reads = yield* run(async (tx) => {
          await setAll(tx, ["a", "b"])
          await tx.remove("a")
          await tx.set("b", "2")
          await tx.remove("missing")
          return { removed: await tx.get("a"), set: await tx.get("b"), listed: await keysIn(tx) }
        })
        assert.isUndefined(reads.removed, "get after remove")
        assert.strictEqual(reads.set, "2", "get after set")
        assert.deepStrictEqual(reads.listed, ["b"], "list after remove and set")
      })
    )

    check("lists as many entries as the limit beside those that the transaction removed or set itself", (run) =>
      Effect.gen(function* () {
        yield* run((tx) => setAll(tx, ["a", "c", "d", "e"]))
        const listed = yield* run(async (tx) => {
          await tx.remove("a")
          await tx.set("b", "2")
          await tx.remove("e")
          return [...(await keysIn(tx, { limit: 2 })), ...(await keysIn(tx, { limit: 2, reverse: true }))]
        })
        assert.deepStrictEqual(listed, ["b", "c", "d", "c"], "the first two keys and the last two, after own changes")
      })
    )

    check("keeps nothing of a transaction that rejects", (run, other) =>
      Effect.gen(function* () {
        yield* run((tx) => tx.set("a", "1"))
        yield* Effect.exit(
          run(async (tx) => {
            await tx.set("a", "2")
            await tx.set("b", "2")
            throw new Error("rejected on purpose")
          })
        )
        assert.deepStrictEqual(yield* other((tx) => tx.list(everything)), [{ key: "a", value: "1" }])
      })
    )

    check("keeps no write of a transaction that rejects before the write has ended", (run, other) =>
      Effect.gen(function* () {
        let writes: ReadonlyArray<Promise<void>> = []
        yield* Effect.exit(
          run(async (tx) => {
            writes = ["a", "b", "c"].map((key) => tx.set(key, "1"))
            for (const write of writes) write.catch(() => undefined)
            throw new Error("rejected on purpose")
          })
        )
        yield* Effect.promise(() => Promise.allSettled(writes))
        yield* run((tx) => tx.set("b", "2"))
        assert.deepStrictEqual(yield* other((tx) => tx.list(everything)), [{ key: "b", value: "2" }])
      })
    )

    const hostOf = <A>(run: A, other: A, index: number): A => (index % 2 === 0 ? run : other)

    check("loses no update: 32 increments at once make 32", (run, other) =>
      Effect.gen(function* () {
        const increment = async (tx: Transaction) => tx.set("n", String(Number((await tx.get("n")) ?? 0) + 1))
        yield* Effect.forEach(Array.from({ length: 32 }).keys(), (index) => hostOf(run, other, index)(increment), {
          concurrency: "unbounded"
        })
        assert.strictEqual(yield* run((tx) => tx.get("n")), "32")
      })
    )

    for (const [reads, isFree] of [
      [
        "other keys",
        async (tx: Transaction) => !(await Promise.all(["0", "1"].map((key) => tx.get(key)))).some(Boolean)
      ],
      ["a range", async (tx: Transaction) => (await keysIn(tx)).length === 0]
    ] as const) {
      check(
        `is serializable: of two transactions that read ${reads} before they write, one sees the other`,
        (run, other) =>
          Effect.forEach(
            Array.from({ length: 16 }).keys(),
            Effect.fnUntraced(function* () {
              const occupy = (key: string) => async (tx: Transaction) => {
                if (await isFree(tx)) await tx.set(key, "1")
              }
              yield* Effect.all([run(occupy("0")), other(occupy("1"))], { concurrency: "unbounded" })
              const keys = yield* run((tx) => keysIn(tx))
              assert.lengthOf(keys, 1)
              yield* run((tx) => Promise.all(keys.map((key) => tx.remove(key))))
            })
          )
      )
    }

    const oneMoment = "all reads of a transaction must come from one moment, also if it writes nothing"
    for (const kind of ["value", "rejection"] as const) {
      check(`is serializable: the ${kind} of a transaction that only reads comes from one moment`, (run, other) =>
        Effect.gen(function* () {
          const setBoth = (value: string) => async (tx: Transaction) => {
            await tx.set("a", value)
            await tx.set("b", value)
          }
          yield* run(setBoth("0"))
          const begun = Promise.withResolvers<void>()
          let left = 100
          const read = run(async (tx) => {
            const a = await tx.get("a")
            begun.resolve()
            // Where transactions lock what they read, the other one waits for the end of this one.
            for (; left > 0; left--) {
              await tx.get("c")
              await new Promise((resolve) => setImmediate(resolve))
            }
            const b = await tx.get("b")
            if (kind === "rejection" && a !== b) throw new Error(`${oneMoment}: it rejects after it read ${a} and ${b}`)
            return { a, b }
          })
          const write = Effect.promise(() => begun.promise).pipe(
            Effect.andThen(other(setBoth("1"))),
            Effect.andThen(Effect.sync(() => (left = 0)))
          )
          const [{ a, b }] = yield* Effect.all([read, write], { concurrency: "unbounded" })
          assert.strictEqual(b, a, oneMoment)
        })
      )
    }
  })
}

/** A new and empty store; and the same one as another host opens it, if an engine can have several. */
export interface OpenedKeyValueStore {
  readonly store: KeyValueStore
  readonly another?: KeyValueStore | undefined
  /** Makes the engine itself fail. By default, the calls of its transactions and their ends are rejected. */
  readonly failingEngine?: (typeof FailingEngine)["Service"] | undefined
}

/** The store with an engine that can be made to fail at each operation of a transaction, and at its end. */
const failing = (store: KeyValueStore) => {
  let left: number | undefined
  const counted = <A>(operation: () => Promise<A>): Promise<A> => {
    if (left !== undefined) left -= 1
    return left !== undefined && left < 0 ? Promise.reject(new Error("The engine failed on purpose.")) : operation()
  }
  const countedIn = (tx: Transaction): Transaction => ({
    get: (key) => counted(() => tx.get(key)),
    set: (key, value) => counted(() => tx.set(key, value)),
    remove: (key) => counted(() => tx.remove(key)),
    list: (range) => counted(() => tx.list(range))
  })
  const failingStore: KeyValueStore = {
    transaction: (use) =>
      store.transaction(async (tx) => {
        const value = await use(countedIn(tx))
        return counted(async () => value)
      })
  }
  const layer = Layer.succeed(FailingEngine, (nth, commit) =>
    Effect.suspend(() => {
      left = nth
      return Effect.exit(commit)
    }).pipe(
      Effect.map(() => {
        const hasFailed = left !== undefined && left < 0
        left = undefined
        return hasFailed
      })
    )
  )
  return { failingStore, layer }
}

/** Damages records by their keys and by the ids in them. */
const damaging = (store: KeyValueStore) =>
  Layer.succeed(Damage, (kind, id) =>
    runOn(store)(async (tx) => {
      const entries = await tx.list({ from: `${kind}/`, to: `${kind}0`, limit: 1000, reverse: false })
      const ofRecord = entries.filter(({ key, value }) =>
        `${key} ${value}`.includes(kind === "trust" ? `"issuer":"${id}` : id)
      )
      for (const { key } of ofRecord) await tx.set(key, "{")
      if (ofRecord.length === 0) throw new Error(`there is no ${kind} ${id} to damage`)
      return true
    }).pipe(Effect.orDie)
  )

/** The store of the case at hand, for its other host. */
class Opened extends Context.Service<Opened, { store: KeyValueStore | undefined }>()(
  "slipway/adapters/kit/OpenedKeyValueStore"
) {}

/** The suites of every metadata port and of snapshots, on two hosts and on an engine that fails in the middle. */
const keyValueMetadataSuites = (
  name: string,
  open: Effect.Effect<OpenedKeyValueStore, unknown, Scope.Scope>,
  options: { readonly maxValueBytes?: number | undefined }
): void => {
  const adapter = {
    shared: Layer.sync(Opened, () => ({ store: undefined })),
    each: Layer.unwrap(
      Effect.gen(function* () {
        const { another, failingEngine, store } = yield* open
        ;(yield* Opened).store = another ?? store
        const { failingStore, layer } =
          failingEngine === undefined
            ? failing(store)
            : { failingStore: store, layer: Layer.succeed(FailingEngine, failingEngine) }
        return Layer.mergeAll(layerMetadata(failingStore, options), layer, damaging(store))
      })
    ),
    another: Layer.unwrap(
      Opened.use(({ store }) =>
        store === undefined ? Effect.die("no case has opened the store") : Effect.succeed(layerMetadata(store, options))
      )
    )
  }
  metadataSuite(name, adapter)
  metadataSnapshotSuite(name, adapter)
}
