import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { makeAccount } from "../kit/parts/samples.ts"
import { layer as layerMetadata, layerMigrations } from "../postgres/index.ts"
import { layer as layerPglite, lock } from "./index.ts"

const newFolder = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "slipway-pglite-"))),
    (parent) => Effect.sync(() => rmSync(parent, { recursive: true, force: true }))
  ),
  (parent) => join(parent, "data")
)

/** Opens the folder anew for one effect, and closes it again. */
const within = <A, E>(dataDir: string, effect: Effect.Effect<A, E, AccountStore>) =>
  Effect.provide(
    effect,
    Layer.fresh(layerMetadata.pipe(Layer.provide(layerMigrations), Layer.provide(layerPglite({ dataDir }))))
  )

const insert = (name: string) => Effect.flatMap(AccountStore, (store) => store.insert(makeAccount({ name })))

const isThere = (name: string) =>
  Effect.flatMap(AccountStore, (store) => Effect.map(store.findByName(name), Option.isSome))

/** Another process that holds the folder and has stored an account of that name in it; killed with the scope. */
const startHolder = (dataDir: string, name: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = spawn(process.execPath, [join(import.meta.dirname, "testing/holder.ts"), dataDir, name], {
        stdio: ["ignore", "pipe", "inherit"]
      })
      const [line] = await Promise.race([once(child.stdout, "data"), once(child, "exit")])
      assert.strictEqual(String(line).trim(), "stored")
      return child
    }),
    (child) => kill(child)
  )

const kill = (child: ReturnType<typeof spawn>) =>
  Effect.promise(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill("SIGKILL")
    await once(child, "exit")
  })

describe("a data folder", () => {
  it.effect("is created for its owner alone, and what was stored is there when it is opened again", () =>
    Effect.gen(function* () {
      const folder = yield* newFolder
      yield* within(folder, insert("first"))
      assert.strictEqual(statSync(folder).mode & 0o777, 0o700)
      assert.isTrue(yield* within(folder, isThere("first")))
      assert.isFalse(yield* within(folder, isThere("second")))
    })
  )

  it.effect("is refused to a second process, and keeps what was stored when the first is killed", () =>
    Effect.gen(function* () {
      const folder = yield* newFolder
      const holder = yield* startHolder(folder, "survivor")
      const error = yield* Effect.flip(within(folder, isThere("survivor")))
      assert.strictEqual(error._tag, "DataFolderInUse")
      assert.include(error.message, folder)
      yield* kill(holder)
      assert.isTrue(yield* within(folder, isThere("survivor")))
    })
  )

  it.effect("is refused a second time in one process", () =>
    Effect.gen(function* () {
      const folder = yield* newFolder
      const error = yield* Effect.flip(within(folder, within(folder, insert("never"))))
      assert.strictEqual(error._tag, "DataFolderInUse")
      assert.isFalse(yield* within(folder, isThere("never")))
    })
  )

  it.effect("that was left half-way through its creation is created anew", () =>
    Effect.gen(function* () {
      const folder = yield* newFolder
      mkdirSync(join(folder, "postgres.unfinished", "base"), { recursive: true })
      writeFileSync(join(folder, "postgres.unfinished", "PG_VERSION"), "1")
      yield* within(folder, insert("first"))
      assert.isTrue(yield* within(folder, isThere("first")))
      assert.isFalse(existsSync(join(folder, "postgres.unfinished")))
    })
  )

  it.effect("that can't be one is named in the error", () =>
    Effect.gen(function* () {
      const folder = yield* newFolder
      writeFileSync(folder, "")
      const error = yield* Effect.flip(within(folder, insert("never")))
      assert.strictEqual(error._tag, "DataFolderUnusable")
      assert.include(error.message, folder)
    })
  )

  it.effect("with a database that can't be opened is named in the error", () =>
    Effect.gen(function* () {
      const folder = yield* newFolder
      mkdirSync(join(folder, "postgres"), { recursive: true })
      writeFileSync(join(folder, "postgres", "PG_VERSION"), "1")
      const error = yield* Effect.flip(within(folder, insert("never")))
      assert.strictEqual(error._tag, "DataFolderUnusable")
      assert.include(error.message, folder)
    })
  )
})

describe("the lock of a data folder", () => {
  it.effect("is free again when its scope has closed", () =>
    Effect.gen(function* () {
      const folder = yield* newFolder
      const nested = Effect.scoped(Effect.andThen(lock(folder), Effect.result(Effect.scoped(lock(folder)))))
      for (let round = 0; round < 2; round++) assert.strictEqual((yield* nested)._tag, "Failure")
      yield* lock(folder)
    })
  )
})
