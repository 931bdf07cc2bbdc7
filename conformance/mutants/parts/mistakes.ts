import { at, failing, failure, outright } from "./fronts.ts"
import type { Area } from "./Call.ts"
import { missing } from "./missing.ts"
import type { MutantTable } from "./Mutant.ts"

const gzipFails = (profile: "builds" | "previews"): MutantTable => ({
  [`${profile}.mistakes.gzip-fails`]: [
    "The PUT of a bundle in gzip is answered 500.",
    `${profile}.mistakes.gzip`,
    outright(
      at("put", ({ body, reservation }) => reservation?.profile === profile && body?.[0] === 0x1f),
      failure
    )
  ]
})

/** Hosts that answer a mistake of the caller with 500. */
export const mistakeMutants: Readonly<Record<Area, MutantTable>> = {
  builds: {
    "builds.mistakes.reserve-fails": [
      "A bundle size that is a text is answered 500.",
      "builds.mistakes.reserve",
      failing(at("builds.reserve", ({ fields }) => typeof fields.bundleSizeBytes === "string"))
    ],
    "builds.mistakes.body-fails": [
      "A reservation of a build whose body is a list is answered 500.",
      "builds.mistakes.body",
      failing(at("builds.reserve", ({ body }) => body === "[]"))
    ],
    "builds.mistakes.incomplete-fails": [
      "A finalize before the bundle has arrived is answered 500.",
      "builds.mistakes.finalize-incomplete",
      failing(at("builds.finalize", (call) => missing(call).length > 0))
    ],
    ...gzipFails("builds"),
    "builds.mistakes.read-fails": [
      "A read for an unknown platform is answered 500.",
      "builds.mistakes.read",
      failing(at("builds.latest", ({ query }) => query.platform === "toaster"))
    ]
  },
  previews: {
    "previews.mistakes.reserve-fails": [
      "A reservation of a preview whose bundle size is a text is answered 500.",
      "previews.mistakes.reserve",
      failing(at("previews.reserve", ({ fields }) => typeof fields.bundleSizeBytes === "string"))
    ],
    "previews.mistakes.body-fails": [
      "The finalize of a preview with an empty body is answered 500.",
      "previews.mistakes.body",
      failing(at("previews.finalize", ({ body }) => body === "{}"))
    ],
    ...gzipFails("previews"),
    "previews.mistakes.read-fails": [
      "A shareId of 500 characters is answered 500.",
      "previews.mistakes.read",
      failing(at("previews.read", ({ url }) => url.length > 500))
    ]
  },
  runs: {
    "runs.mistakes.register-fails": [
      "A registration with a stepCount below 0 is answered 500.",
      "runs.mistakes.register",
      failing(at("runs.register", ({ fields }) => Number(fields.stepCount) < 0))
    ],
    "runs.mistakes.body-fails": [
      "A registration of a test run whose body is a list is answered 500.",
      "runs.mistakes.body",
      failing(at("runs.register", ({ body }) => body === "[]"))
    ],
    "runs.mistakes.list-fails": [
      "A limit that is no number is answered 500.",
      "runs.mistakes.list",
      failing(at("runs.list", ({ query }) => query.limit === "many"))
    ]
  }
}
