import { Effect, Layer } from "effect"
import type { Credential, Json, Request } from "../session/Exchange.ts"
import { Session } from "../session/Session.ts"
import * as answers from "./answers.ts"
import {
  buildFinalization,
  buildReservation,
  ownBranch,
  previewFinalization,
  previewReservation,
  repositoryOf,
  runRegistration
} from "./bodies.ts"
import { Dialect, type Fields } from "./Dialect.ts"

/** Encodes a text as a part of a path or a query. A lone surrogate can't be encoded. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed())

const queryOf = (fields: Fields): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encoded(name)}=${encoded(typeof value === "string" ? value : JSON.stringify(value))}`)
    .join("&")

/** The dialect of the target that the session meets. @see docs/interface.md#4 */
export const layer = Layer.effect(
  Dialect,
  Effect.gen(function* () {
    const session = yield* Session
    const { bindings, url } = session.config

    const ask = (method: string, path: string, as: Credential, more: Partial<Request> = {}) =>
      session.exchange({ method, url: `${url}/api/v1${path}`, as, ...more })
    const get = (path: string, as: Credential) => ask("GET", path, as)
    const post = (path: string, as: Credential, json: Json) => ask("POST", path, as, { json })
    /** The same, and what it created is in the ledger. */
    const creating = (
      what: Parameters<typeof answers.created>[0],
      path: string,
      as: Credential,
      body: Effect.Effect<Json>
    ) =>
      Effect.flatMap(body, (json) => post(path, as, json)).pipe(
        Effect.tap((answer) => {
          const made = answers.created(what, bindings, answer)
          return made === undefined ? Effect.void : session.made(made)
        })
      )

    return Dialect.of({
      reserveBuild: (input, as) => creating("reservation", "/builds", as, buildReservation(session, input, as)),
      finalizeBuild: (token, as) => creating("build", "/builds", as, buildFinalization(token)),
      latestBuild: (query, as) => {
        const usual = { ...repositoryOf(session.config, as), branch: ownBranch(session), platform: "ios" }
        return get(`/builds?${queryOf({ ...usual, ...query })}`, as)
      },
      build: (id, as) => get(`/builds/${encoded(id)}`, as),
      put: ({ putUrl }, { as = "none", content, contentType, method = "PUT", tamper }) =>
        session.exchange({
          method,
          url: putUrl,
          as,
          headers: { "content-type": contentType },
          ...(method === "GET" || method === "HEAD" ? {} : { content }),
          ...(tamper === undefined ? {} : { tamper })
        }),
      reservePreview: (input, as) => creating("preview", "/previews", as, previewReservation(session, input, as)),
      finalizePreview: (reserved, as) => post("/previews/finalize", as, previewFinalization(session, reserved)),
      preview: (shareId, as) => get(`/previews/${encoded(shareId)}`, as),
      registerRun: (fields, as) => creating("testRun", "/test-runs", as, runRegistration(session, fields, as)),
      listRuns: (query, as) => {
        const { owner, repo } = repositoryOf(session.config, as)
        return get(`/test-runs?${queryOf({ org: owner, repo, ...query })}`, as)
      },

      reserved: (answer, input) =>
        answers
          .reserved(bindings, answer, input)
          .pipe(
            Effect.tap(({ slots, token }) =>
              Effect.forEach([token, ...slots.map(({ putUrl }) => putUrl)], session.secret)
            )
          ),
      row: (answer) => answers.row(bindings, answer),
      registered: (answer) => answers.registered(bindings, answer),
      listed: (answer) => answers.listed(bindings, answer),
      codes: (answer) => answers.codes(bindings, answer)
    })
  })
)
