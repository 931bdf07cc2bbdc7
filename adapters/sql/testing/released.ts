/**
 * A host of an earlier version must keep working while a new one migrates the database and afterwards, and the new one
 * must read its data unchanged. Every version has a record of its statements; each record must get the same answers on
 * the newest schema as on its own.
 *
 * After changing this version's statements, run `npx vitest run --config .config/vitest.slow.config.ts
 * adapters/<engine>/released -u` to write its record again. The record of a released version never changes.
 */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import type { MetadataPorts } from "../../../core/ports/registry.ts"
import type { Step } from "../Step.ts"
import { callsOn, makeOneOfEach } from "./calls.ts"
import { assertEveryMethod } from "./everyMethod.ts"
import { recording } from "./recording.ts"
import { fileOf, play, readScript, scriptOf, type Script } from "./script.ts"

const Package = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))
const { version } = Schema.decodeSync(Package)(readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8"))

/** An engine as the suite takes it: a new database with one host on it, its schema, and how to migrate it. */
export interface Released {
  readonly folder: string
  readonly database: Layer.Layer<SqlClient.SqlClient, unknown>
  readonly ports: Layer.Layer<MetadataPorts, unknown, SqlClient.SqlClient>
  readonly steps: ReadonlyArray<Step>
  readonly migrate: (steps: ReadonlyArray<Step>) => Effect.Effect<void, unknown, SqlClient.SqlClient>
  /** Statements of steps that every earlier host tolerates, and statements that some recorded one doesn't. */
  readonly expands: ReadonlyArray<string>
  readonly contracts: ReadonlyArray<string>
}

export const releasedSuite = ({ contracts, database, expands, folder, migrate, ports, steps }: Released): void => {
  /** The answers to a script from a host that has already run it once, on a schema that was migrated further since. */
  const answersAfter = (script: Script, before: ReadonlyArray<Step>, after: ReadonlyArray<Step>) =>
    Effect.gen(function* () {
      yield* migrate(before)
      const first = yield* play(script)
      yield* migrate(after)
      return { first, second: yield* play(script) }
    }).pipe(Effect.provide(Layer.fresh(database)))

  /** The steps to the schema of a script's version. */
  const stepsOf = (script: Script) => steps.filter(({ id }) => id <= script.schema)

  const onItsOwn = new Map<Script, ReturnType<typeof answersAfter>>()

  /** The answers to a script on the schema of its own version, computed once. */
  const answersOnItsOwn = (script: Script) => {
    const known = onItsOwn.get(script)
    if (known !== undefined) return known
    const own = stepsOf(script)
    const asked = Effect.runSync(Effect.cached(answersAfter(script, own, own)))
    onItsOwn.set(script, asked)
    return asked
  }

  /** Whether a script gets the same answers on a schema, and on the way to it, as on its own. */
  const goesOn = Effect.fnUntraced(function* (script: Script, newest: ReadonlyArray<Step>) {
    const own = stepsOf(script)
    const expected = yield* answersOnItsOwn(script)
    assert.deepStrictEqual(yield* answersAfter(script, newest, newest), expected, "on the newest schema")
    assert.deepStrictEqual(yield* answersAfter(script, own, newest), expected, "on the way there")
  })

  /** This version's statements, recorded once for all tests. */
  const ofThisVersion = Effect.gen(function* () {
    const calls = Effect.gen(function* () {
      const all = yield* callsOn(yield* makeOneOfEach)
      assertEveryMethod(yield* Effect.context<never>(), all)
      yield* Effect.forEach(Object.values(all), (call: Effect.Effect<unknown, unknown>) => call, { discard: true })
    })
    const { statements } = yield* recording(calls)
    return scriptOf(Math.max(...steps.map(({ id }) => id)), statements)
  }).pipe(
    Effect.provide(ports.pipe(Layer.provideMerge(Layer.effectDiscard(migrate(steps))), Layer.provideMerge(database))),
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

    it.live.each(expands)("that expands is let be: %s", goesOnWith)

    it.live.each(contracts)("that contracts too early is found out: %s", (statement) =>
      Effect.map(Effect.flip(Effect.sandbox(goesOnWith(statement))), (cause) =>
        assert.include(String(Cause.squash(cause)), "on the newest schema")
      )
    )
  })
}
