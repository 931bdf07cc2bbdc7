import { Redacted } from "effect"
import { SqlError } from "effect/sql"
import { assert, describe, it } from "vitest"
import { databaseAddress } from "../settings/engineSettings.ts"
import { postgresFault } from "./postgres.ts"

const place = databaseAddress(Redacted.make("postgresql://ad%20min:p%40ss@db.example/builds?sslmode=require"))

const failed = (code: string, message = "") =>
  new SqlError.SqlError({
    reason: new SqlError.UnknownError({ cause: Object.assign(new Error(message), { code }), message: "failed" })
  })

describe("what is wrong with a PostgreSQL", () => {
  for (const [code, message, said] of [
    ["28P01", "password authentication failed", "db.example:5432 refuses the password of the user ad min"],
    ["28000", "no pg_hba.conf entry", "db.example:5432 refuses this kind of connection: no pg_hba.conf entry"],
    ["3D000", "", "db.example:5432 has no database builds"],
    ["42501", "permission denied for schema public", "the user ad min may not do this in the database builds: permis"],
    ["53300", "", "db.example:5432 has no free connection left"],
    ["57P03", "the database system is starting up", "db.example:5432 accepts no connections right now: the database"],
    ["ENOTFOUND", "", "db.example:5432 can't be reached: there is no host of that name (ENOTFOUND)"],
    ["", "Connection timed out", "db.example:5432 can't be reached: no answer came in time"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "", "the certificate of db.example:5432 is not trusted (SELF_SIGNED_CERT_IN_CHAIN)"],
    ["CERT_HAS_EXPIRED", "", "the certificate of db.example:5432, or of its authority, has expired (CERT_HAS_EXPIRED)"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "", "the certificate of db.example:5432 is for another name (ERR_TLS"],
    ["XX000", "something else. Try again.", "db.example:5432 can't be used: something else"]
  ] as const) {
    it(`${code}: ${said}`, () => {
      const fault = postgresFault(failed(code, message), place)
      assert.strictEqual(fault.detail.slice(0, said.length), said)
      assert.isNotEmpty(fault.hint)
      // A line has a full stop after both.
      assert.notMatch(`${fault.detail}\n${fault.hint}`, /\.$/m)
      assert.notInclude(fault.detail + fault.hint, "p@ss")
    })
  }

  it("is also found if Node tried several addresses", () => {
    const cause = Object.assign(new AggregateError([], ""), { code: "ECONNREFUSED" })
    const reason = new SqlError.ConnectionError({ cause, message: "PgConnection: Failed to connect" })
    assert.include(postgresFault(new SqlError.SqlError({ reason }), place).detail, "nothing listens there")
  })
})

describe("the database address in a URL", () => {
  it("is read as the client reads it: the query overrides the rest, and the server may be a socket's folder", () => {
    const url = "postgres://a:b@h:1/d?host=/run/postgresql&user=u&dbname=e"
    assert.deepStrictEqual(databaseAddress(Redacted.make(url)), { server: "/run/postgresql", user: "u", database: "e" })
  })
})
