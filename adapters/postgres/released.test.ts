/**
 * A host of the last version goes on while a new one brings the database to its schema, and after that. Every version
 * leaves a record of what it says to the database; whatever is on record has to be answered on the newest schema as it was
 * on its own.
 *
 * After a change of this version's statements, `npx vitest run --config .config/vitest.config.ts adapters/postgres/released -u`
 * writes its record anew. That of a version that was released stays as it is.
 */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Layer, Redacted, Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { layer as layerPglite } from "../pglite/index.ts"
import { layer as layerMetadata, layerClient, layerMigrations, steps } from "./index.ts"
import type { Step } from "./index.ts"
import { migrate } from "./migrate.ts"
import { callsOn, makeOneOfEach } from "./testing/calls.ts"
import { assertEveryMethod } from "./testing/everyMethod.ts"
import { recording } from "./testing/recording.ts"
import { fileOf, play, readScript, scriptOf } from "./testing/script.ts"
import type { Script } from "./testing/script.ts"
import { newDatabase } from "./testing/server.ts"

const folder = join(import.meta.dirname, "released")
const Package = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))
const { version } = Schema.decodeSync(Package)(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"))

/** A new database, and one host on it. */
const layerHost = Layer.unwrap(Effect.map(newDatabase, (url) => layerClient({ url: Redacted.make(url) })))

/** What a script is answered by a host that has said it once already, the schema having been brought further meanwhile. */
const answersAfter = (script: Script, before: ReadonlyArray<Step>, after: ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    yield* migrate(before)
    const first = yield* play(script)
    yield* migrate(after)
    return { first, second: yield* play(script) }
  }).pipe(Effect.provide(Layer.fresh(layerHost)))

/** The steps to the schema of a script's own version. */
const stepsOf = (script: Script) => steps.filter(({ id }) => id <= script.schema)

const onItsOwn = new Map<Script, ReturnType<typeof answersAfter>>()

/** What a script is answered on the schema of its own version; asked once, whatever is compared to it. */
const answersOnItsOwn = (script: Script) => {
  const known = onItsOwn.get(script)
  if (known !== undefined) return known
  const own = stepsOf(script)
  const asked = Effect.runSync(Effect.cached(answersAfter(script, own, own)))
  onItsOwn.set(script, asked)
  return asked
}

/** Whether a script is answered on a schema, and on the way to it, as on its own. */
const goesOn = Effect.fnUntraced(function* (script: Script, newest: ReadonlyArray<Step>) {
  const own = stepsOf(script)
  const expected = yield* answersOnItsOwn(script)
  assert.deepStrictEqual(yield* answersAfter(script, newest, newest), expected, "on the newest schema")
  assert.deepStrictEqual(yield* answersAfter(script, own, newest), expected, "on the way there")
})

/** What this version says, once for all tests. */
const ofThisVersion = Effect.gen(function* () {
  const calls = Effect.gen(function* () {
    const all = yield* callsOn(yield* makeOneOfEach)
    assertEveryMethod(yield* Effect.context<never>(), all)
    yield* Effect.forEach(Object.values(all), (call: Effect.Effect<unknown, unknown>) => call, { discard: true })
  })
  const { statements } = yield* recording(calls)
  return scriptOf(Math.max(...steps.map(({ id }) => id)), statements)
}).pipe(
  Effect.provide(layerMetadata.pipe(Layer.provideMerge(layerMigrations), Layer.provideMerge(layerPglite()))),
  Effect.cached,
  Effect.runSync
)

const onRecord = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name) => [name, readScript(readFileSync(join(folder, name), "utf8"))] as const)

describe("what a version says to the database", () => {
  it.effect("is on record", () =>
    Effect.gen(function* () {
      const file = fileOf(yield* ofThisVersion)
      yield* Effect.promise(() => expect(file).toMatchFileSnapshot(join(folder, `${version}.json`)))
    })
  )

  it.live.each(onRecord)("%s: is answered on the newest schema as it was", ([, script]) => goesOn(script, steps))
})

describe("a step", () => {
  const goesOnWith = (statement: string) =>
    Effect.flatMap(ofThisVersion, (script) =>
      goesOn(script, [...steps, { id: 9999, name: "next", statements: [statement] }])
    )

  it.live.each([
    "ALTER TABLE builds ADD COLUMN note text",
    "ALTER TABLE test_runs ADD COLUMN note text NOT NULL DEFAULT ''",
    'CREATE TABLE notes (id text PRIMARY KEY, build_id text COLLATE "C" NOT NULL REFERENCES builds (id))',
    "CREATE INDEX previews_by_end ON previews (expires_at)"
  ])("that expands is let be: %s", goesOnWith)

  it.live.each([
    "ALTER TABLE builds DROP COLUMN ready_by",
    "ALTER TABLE previews RENAME COLUMN share_id TO share",
    "ALTER TABLE builds ALTER COLUMN version TYPE bigint",
    "ALTER TABLE test_runs ADD COLUMN note text NOT NULL",
    "ALTER TABLE repositories ADD CHECK (repo <> 'Repo')",
    "ALTER TABLE idempotent_answers DROP CONSTRAINT idempotent_answers_once",
    "ALTER TABLE repositories DROP CONSTRAINT repositories_key",
    "DROP TABLE billed_test_runs"
  ])("that contracts too early is found out: %s", (statement) =>
    Effect.map(Effect.flip(Effect.sandbox(goesOnWith(statement))), (cause) =>
      assert.include(String(Cause.squash(cause)), "on the newest schema")
    )
  )
})
