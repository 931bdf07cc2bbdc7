import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import type { CiDetails } from "../../client/index.ts"
import { plainLine, plainLines } from "../command/plainText.ts"
import type { Provenance } from "./Provenance.ts"

/** What a host is sent of the commit and the job, cut to the limits of a host. `hide` removes secrets. */
export const ciDetailsOf = (
  { author, base, commitMessage, job }: Provenance,
  hide: (text: string) => string = (text) => text
): CiDetails => {
  const line = (text = "") => plainLine(hide(text)) || undefined
  return withoutUndefined({
    commitMessage: plainLines(hide(commitMessage ?? ""), 500) || undefined,
    author: line(author),
    base: line(base),
    job: line(job)
  })
}
