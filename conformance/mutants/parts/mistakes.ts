import type { Area } from "./Call.ts"
import { at, failing, failure, like, outright, type Where } from "./fronts.ts"
import { missing } from "./missing.ts"
import { eachOf, type MutantTable } from "./Mutant.ts"

/** The mistakes that are answered 500, by the names of their checks. */
const mistakes = (table: Readonly<Record<string, readonly [mistake: string, where: Where]>>): MutantTable =>
  eachOf(table, ([mistake, where], name) => [
    `mistakes.${name}-fails`,
    `${mistake} is answered 500.`,
    `mistakes.${name === "incomplete" ? "finalize-incomplete" : name}`,
    name === "gzip" ? outright(where, failure) : failing(where)
  ])

const ofAnotherSize = { bundleSizeBytes: (size: unknown) => typeof size === "string" }
const inGzip: readonly [string, Where] = ["The PUT of a bundle in gzip", at("put", ({ body }) => body?.[0] === 0x1f)]

/** Hosts that answer a mistake of the caller with 500. */
export const mistakeMutants: Readonly<Record<Area, MutantTable>> = {
  builds: mistakes({
    reserve: ["A bundle size that is a text", like("builds.reserve", ofAnotherSize)],
    body: ["A reservation of a build whose body is a list", at("builds.reserve", ({ body }) => body === "[]")],
    incomplete: ["A finalize before the bundle has arrived", at("builds.finalize", (call) => missing(call).length > 0)],
    gzip: inGzip,
    read: ["A read for an unknown platform", like("builds.latest", { platform: "toaster" })]
  }),
  previews: mistakes({
    reserve: ["A reservation of a preview whose bundle size is a text", like("previews.reserve", ofAnotherSize)],
    body: ["The finalize of a preview with an empty body", at("previews.finalize", ({ body }) => body === "{}")],
    gzip: inGzip,
    read: ["A shareId of 500 characters", at("previews.read", ({ url }) => url.length > 500)]
  }),
  runs: mistakes({
    register: [
      "A registration with a stepCount below 0",
      like("runs.register", { stepCount: (count) => Number(count) < 0 })
    ],
    body: ["A registration of a test run whose body is a list", at("runs.register", ({ body }) => body === "[]")],
    list: ["A limit that is no number", like("runs.list", { limit: "many" })]
  })
}
