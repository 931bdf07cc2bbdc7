import type { CheckTable } from "../steps/Check.ts"
import type { Flow } from "./Flow.ts"
import { expiredChecks } from "./expired.ts"
import { gzipChecks } from "./gzip.ts"
import { otherSlotChecks } from "./otherSlots.ts"
import { signedUrlChecks } from "./signedUrls.ts"
import { rightAfterWrongChecks, wrongPutChecks } from "./wrongPuts.ts"

/** What the slots of a build or of a preview accept and refuse. */
export const uploadChecks = (flow: Flow): CheckTable => ({
  ...wrongPutChecks(flow),
  ...signedUrlChecks(flow),
  ...rightAfterWrongChecks(flow),
  ...otherSlotChecks(flow),
  ...gzipChecks(flow),
  ...expiredChecks(flow)
})
