import type { Check } from "../steps/Check.ts"
import { alteredUrlChecks } from "./alteredUrls.ts"
import { buildFlow, previewFlow } from "./Flow.ts"
import type { Flow } from "./Flow.ts"
import { otherMethodChecks } from "./otherMethods.ts"
import { rightAfterWrongChecks } from "./rightAfterWrong.ts"
import { unsignedChecks } from "./unsigned.ts"
import { wrongPutChecks } from "./wrongPuts.ts"

const checksOf = (flow: Flow): ReadonlyArray<Check> =>
  [wrongPutChecks, otherMethodChecks, alteredUrlChecks, unsignedChecks, rightAfterWrongChecks].flatMap((of) => of(flow))

/** What the slots of a build take and refuse. */
export const buildUploads = checksOf(buildFlow)

/** What the slots of a preview take and refuse. */
export const previewUploads = checksOf(previewFlow)
