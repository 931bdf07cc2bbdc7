import { answer, asking, at, outright } from "../parts/fronts.ts"
import type { Where } from "../parts/fronts.ts"
import type { Mutant } from "../parts/Mutant.ts"
import type { Call } from "../parts/Call.ts"
import type { Reservation } from "../parts/Call.ts"

/** A URL that is signed, taken apart: where it points, and each of its parameters. */
const partsOf = (url: string): Readonly<Record<string, string>> => {
  const { pathname, searchParams } = new URL(url)
  return { key: pathname, ...Object.fromEntries(searchParams) }
}

/** The part in which a URL is another than one that was given for its reservation; `undefined` where that is none or several. */
const alteredPart = ({ reservation, url }: Call): string | undefined => {
  const parts = Object.entries(partsOf(url))
  const altered = (reservation?.putUrls ?? []).map((given) => {
    const own = partsOf(given)
    return parts.filter(([name, value]) => own[name] !== value).map(([name]) => name)
  })
  const least = altered.toSorted((one, other) => one.length - other.length)[0]
  return least?.length === 1 ? least[0] : undefined
}

const taken = answer(200, {})

/** A presigned URL is good for something else than the PUT that it was signed for. */
export const misusedMutants = (profile: Reservation["profile"]): ReadonlyArray<Mutant> => {
  const puts = (when: Where): Where =>
    at("put", (call, target) => call.reservation?.profile === profile && when(call, target))
  const altered = (id: string, part: string, text: string): Mutant => ({
    id: `${profile}.put.${id}-ignored`,
    fault: `A PUT is taken at a URL with ${text}.`,
    caughtBy: [`${profile}.put.altered-${id}`],
    front: outright(
      puts((call) => alteredPart(call) === part),
      taken
    )
  })
  return [
    {
      id: `${profile}.put.readable`,
      fault: "A URL that was signed for PUT is good for GET.",
      caughtBy: [`${profile}.put.as-get`],
      front: outright(
        puts(({ method }) => method === "GET"),
        taken
      )
    },
    {
      id: `${profile}.put.postable`,
      fault: "A URL that was signed for PUT takes the bytes by POST.",
      caughtBy: [`${profile}.put.as-post`],
      front: asking(
        puts(({ method }) => method === "POST"),
        (call) => ({ ...call, method: "PUT" })
      )
    },
    {
      id: `${profile}.put.deletable`,
      fault: "A URL that was signed for PUT is good for DELETE.",
      caughtBy: [`${profile}.put.as-delete`],
      front: outright(
        puts(({ method }) => method === "DELETE"),
        taken
      )
    },
    {
      id: `${profile}.put.unsigned-taken`,
      fault: "A PUT is taken without a signature.",
      caughtBy: [`${profile}.put.unsigned`],
      front: outright(
        puts(({ url }) => !url.includes("?")),
        taken
      )
    },
    altered("signature", "signature", "another signature"),
    altered("key", "key", "the key of another object"),
    altered("expiry", "expires", "a later end"),
    altered("type", "type", "another content type"),
    altered("length", "length", "another length")
  ]
}
