import { at, tellingElse, without } from "../parts/fronts.ts"
import type { Fields } from "../parts/Call.ts"
import type { Mutant } from "../parts/Mutant.ts"

const register = at("runs.register")

const withoutOrigin = (fields: Fields, link: string): Fields => ({
  ...fields,
  [link]: new URL(String(fields[link])).pathname
})

/** The links that a registration answers. */
export const linkMutants: ReadonlyArray<Mutant> = [
  ...[
    { link: "previewUrl", check: "runs.register.preview-url" },
    { link: "traceUrl", check: "runs.register.trace-url" }
  ].flatMap(({ check, link }): ReadonlyArray<Mutant> => [
    {
      id: `${check}-missing`,
      fault: `A registration answers no ${link}.`,
      caughtBy: [check],
      front: without(register, link)
    },
    {
      id: `${check}-relative`,
      fault: `A registration answers a relative ${link}.`,
      caughtBy: [check],
      front: tellingElse(register, (fields) => withoutOrigin(fields, link))
    }
  ]),
  {
    id: "runs.register.other-host",
    fault: "The traceUrl that a registration answers is on another host than the previewUrl.",
    caughtBy: ["runs.register.viewer-host"],
    front: tellingElse(register, (fields) => ({
      ...fields,
      traceUrl: new URL(new URL(String(fields.traceUrl)).pathname, "http://traces.example").href
    }))
  }
]
