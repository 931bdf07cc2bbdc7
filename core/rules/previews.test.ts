import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import { AccountId } from "../model/Account.ts"
import { ShareId, type Preview, type PreviewDeclaration, type PreviewStatus } from "../model/Preview.ts"
import { ReservationId } from "../model/Reservation.ts"
import { isBilled, onPreviewFinalize, previewStatus } from "./previews.ts"

const start = DateTime.makeUnsafe("2026-01-01T00:00:00Z")
const minutes = (n: number) => DateTime.addDuration(start, Duration.minutes(n))

const declaration: PreviewDeclaration = {
  contentHash: "a",
  bundleSizeBytes: 1,
  bundleContentType: "text/javascript",
  isTransformed: false,
  files: [],
  recordings: [],
  git: {}
}

const reserved = (more: Partial<PreviewDeclaration> = {}): Preview => ({
  id: ReservationId.make("1"),
  tokenHash: "token",
  accountId: AccountId.make("a"),
  reservedAt: start,
  expiresAt: minutes(60),
  shareId: ShareId.make("share"),
  declaration: { ...declaration, ...more }
})

/** The effect of an event on a preview in one of these states. */
interface Transition {
  readonly from: "none" | PreviewStatus
  readonly trigger: "reserve" | "finalize" | "time"
  readonly to: PreviewStatus
}

const transitions: ReadonlyArray<Transition> = [
  { from: "none", trigger: "reserve", to: "uploading" },
  { from: "uploading", trigger: "time", to: "expired" },
  { from: "uploading", trigger: "finalize", to: "ready" },
  { from: "ready", trigger: "time", to: "ready" }
]

describe("the life of a preview", () => {
  const inState = {
    none: undefined,
    uploading: { preview: reserved(), now: minutes(10) },
    expired: { preview: reserved(), now: minutes(60) },
    ready: { preview: onPreviewFinalize(reserved(), { now: minutes(5), hostedPrefix: "hosted/1/" }), now: minutes(10) }
  }

  const after = (trigger: Transition["trigger"], before: { readonly preview: Preview; readonly now: DateTime.Utc }) => {
    if (trigger === "time") return { ...before, now: DateTime.addDuration(before.now, Duration.hours(2)) }
    return { ...before, preview: onPreviewFinalize(before.preview, { now: before.now, hostedPrefix: "hosted/2/" }) }
  }

  for (const { from, to, trigger } of transitions) {
    it(`${from} + ${trigger} → ${to}`, () => {
      const before = inState[from]
      const { now, preview } = before === undefined ? { preview: reserved(), now: start } : after(trigger, before)
      if (before !== undefined) {
        assert.strictEqual(previewStatus(before.preview, before.now), from)
        assert.strictEqual(preview.shareId, before.preview.shareId)
      }
      assert.strictEqual(previewStatus(preview, now), to)
    })
  }
})

describe("previews", () => {
  it("the instant at which a reservation ends is too late", () => {
    assert.strictEqual(previewStatus(reserved(), minutes(59)), "uploading" satisfies PreviewStatus)
    assert.strictEqual(previewStatus(reserved(), minutes(60)), "expired" satisfies PreviewStatus)
  })

  it("finalizing says when and where, and changes nothing else", () => {
    const before = reserved({ entry: "index.js" })
    const after = onPreviewFinalize(before, { now: minutes(5), hostedPrefix: "hosted/1/" })
    assert.deepStrictEqual(after, { ...before, finalizedAt: minutes(5), hostedPrefix: "hosted/1/" })
    assert.isUndefined(before.finalizedAt)
  })

  it("are billed as test runs when they say exactly so", () => {
    assert.isTrue(isBilled(reserved({ billingKind: "test_run" })))
    assert.isFalse(isBilled(reserved()))
    for (const billingKind of ["", "Test_Run", "test_run ", "test-run", "demo"]) {
      assert.isFalse(isBilled(reserved({ billingKind })), billingKind)
    }
  })
})
