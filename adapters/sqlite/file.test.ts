import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { it } from "../../core/testing/layer.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { makeAccount } from "../kit/parts/samples.ts"
import { layer as layerMetadata, layerClient, layerMigrations } from "./index.ts"
import { lock } from "./engine.ts"
import { newFile } from "./testing/newFile.ts"

/** Opens the file for one effect and closes it again. */
const within = <A, E>(file: string, effect: Effect.Effect<A, E, AccountStore>) =>
  Effect.provide(
    effect,
    Layer.fresh(layerMetadata.pipe(Layer.provide(layerMigrations), Layer.provide(layerClient({ file }))))
  )

const insert = (name: string) => AccountStore.use((store) => store.insert(makeAccount({ name })))

const isThere = (name: string) => AccountStore.use((store) => Effect.map(store.findByName(name), Option.isSome))

/** Another process that holds the file and has stored an account of that name in it. The scope kills it. */
const startHolder = (file: string, name: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = spawn(process.execPath, [join(import.meta.dirname, "testing/holder.ts"), file, name], {
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

/** A file that holds these bytes. */
const fileOf = (bytes: string | Uint8Array) =>
  Effect.map(newFile, (file) => {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, bytes)
    return file
  })

describe("a database file", () => {
  it.effect("is made with rights for its owner only, and keeps its data when it is opened again", function* () {
    const file = yield* newFile
    yield* within(file, insert("first"))
    assert.strictEqual(statSync(dirname(file)).mode & 0o777, 0o700)
    assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    assert.strictEqual(statSync(`${file}.lock`).mode & 0o777, 0o600)
    chmodSync(`${file}.lock`, 0o644)
    assert.isTrue(yield* within(file, isThere("first")))
    assert.strictEqual(statSync(`${file}.lock`).mode & 0o777, 0o600)
    assert.isFalse(yield* within(file, isThere("second")))
  })

  it.effect("is refused to a second process, and keeps its data when the first is killed", function* () {
    const file = yield* newFile
    const holder = yield* startHolder(file, "survivor")
    const error = yield* Effect.flip(within(file, isThere("survivor")))
    assert.strictEqual(error._tag, "DatabaseInUse")
    assert.include(error.message, file)
    yield* kill(holder)
    assert.isTrue(yield* within(file, isThere("survivor")))
  })

  it.effect("can't be opened a second time in one process", function* () {
    const file = yield* newFile
    const error = yield* Effect.flip(within(file, within(file, insert("never"))))
    assert.strictEqual(error._tag, "DatabaseInUse")
    assert.isFalse(yield* within(file, isThere("never")))
  })

  it.effect("can be read by others while it is in use, as it is at one moment", function* () {
    const file = yield* newFile
    yield* within(
      file,
      Effect.gen(function* () {
        yield* insert("first")
        const reader = new DatabaseSync(file, { readOnly: true })
        reader.exec("BEGIN")
        const names = () =>
          reader
            .prepare("SELECT name FROM accounts")
            .all()
            .map((row) => row["name"])
        assert.deepStrictEqual(names(), ["first"])
        yield* insert("second")
        assert.deepStrictEqual(names(), ["first"])
        reader.close()
      })
    )
  })

  it.effect("that can't be made is named with what to do", function* () {
    const file = join(yield* fileOf(""), "metadata.sqlite")
    const error = yield* Effect.flip(within(file, insert("never")))
    assert.strictEqual(error._tag, "DatabaseFileUnusable")
    assert.match(error.message, /^The database .*metadata\.sqlite can't be used: it can't be written \(E\w+.*; give it/)
  })

  it.effect("that is not a database is reported as damaged and left unchanged", function* () {
    const file = yield* fileOf("not a database\n".repeat(1000))
    const error = yield* Effect.flip(within(file, insert("never")))
    assert.strictEqual(
      error.message,
      `The database ${file} can't be used: it is damaged (file is not a database); restore it from a backup.`
    )
    assert.match(readFileSync(file, "utf8"), /^(not a database\n){1000}$/)
  })

  it.effect("with a damaged schema is reported so and left unchanged", function* () {
    const whole = yield* newFile
    yield* within(whole, insert("first"))
    const bytes = readFileSync(whole).fill(0xff, 100, 4096)
    const file = yield* fileOf(bytes)
    const error = yield* Effect.flip(within(file, insert("never")))
    assert.include(error.message, "it is damaged (database disk image is malformed); restore it from a backup")
    assert.isTrue(readFileSync(file).equals(bytes))
  })

  it.effect("that a newer version has used is refused and left unchanged", function* () {
    const file = yield* newFile
    yield* within(file, insert("first"))
    const db = new DatabaseSync(file)
    db.exec("INSERT INTO slipway_migrations (migration_id, name) VALUES (9999, 'newer')")
    db.close()
    const error = yield* Effect.flip(within(file, insert("never")))
    assert.strictEqual(
      error.message,
      `The database ${file} can't be used: a newer version of Slipway has used it (its schema has the step newer); run that version or a later one.`
    )
  })
})

describe("the lock of a database file", () => {
  it.effect("is free again when its scope has closed", function* () {
    const file = yield* fileOf("")
    const nested = Effect.scoped(Effect.andThen(lock(file), Effect.result(Effect.scoped(lock(file)))))
    for (let round = 0; round < 2; round++) assert.strictEqual((yield* nested)._tag, "Failure")
    yield* lock(file)
  })

  it.effect("that is locked is reported as such, even where the trial of locks fails for another reason", function* () {
    const file = yield* fileOf("")
    yield* lock(file)
    symlinkSync(join(file, "nowhere"), `${file}.lock.tried`)
    const error = yield* Effect.flip(Effect.scoped(lock(file)))
    assert.strictEqual(error._tag, "DatabaseInUse")
  })
})
