import { assert, describe, it } from "@effect/vitest"
import {
  base62,
  hashSecret,
  isKey,
  isLive,
  isOpen,
  isSessionLive,
  isUseDue,
  lifeOf,
  makeKey,
  missingScopes,
  rotatedExpiry,
  storedSource,
  uncovered
} from "./credentials.ts"
import { DateTime, Duration, Schema } from "effect"
import { SessionSource } from "../model/ApiKey.ts"
import type { RepositoryTrust } from "../model/Repository.ts"

const random = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcd"

describe("API keys", () => {
  it("are slip_, 40 base62 characters, and the CRC-32 of what stands before in 6", () => {
    const key = makeKey(random)
    assert.match(key, /^slip_[0-9A-Za-z]{46}$/)
    assert.isTrue(key.startsWith(`slip_${random}`))
    assert.isTrue(isKey(key))
  })

  it("the checksum is the CRC-32 that everyone uses", () => {
    // Worked out with zlib's crc32.
    assert.strictEqual(makeKey(random).slice(-6), "238L40")
  })

  it("any one character changed, left out or doubled is a typo", () => {
    const key = makeKey(random)
    for (let at = 0; at < key.length; at++) {
      const other = key[at] === "x" ? "y" : "x"
      assert.isFalse(isKey(key.slice(0, at) + other + key.slice(at + 1)), `changed at ${at}`)
      assert.isFalse(isKey(key.slice(0, at) + key.slice(at + 1)), `left out at ${at}`)
      assert.isFalse(isKey(key.slice(0, at) + key[at] + key.slice(at)), `doubled at ${at}`)
    }
    assert.isFalse(isKey(`${key}\n`))
  })

  it("base62 characters are equally likely: bytes that would favour some are skipped", () => {
    const counts = new Map<string, number>()
    const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    for (const character of base62(everyByte, 248) ?? "") counts.set(character, (counts.get(character) ?? 0) + 1)
    assert.strictEqual(counts.size, 62)
    assert.deepStrictEqual([...new Set(counts.values())], [4])
  })

  it("base62 reports that the bytes ran out", () => {
    assert.isUndefined(base62(new Uint8Array(39), 40))
    assert.isUndefined(base62(new Uint8Array(100).fill(255), 40))
  })
})

describe("what is stored of a secret", () => {
  it("is its SHA-256", () => {
    assert.strictEqual(hashSecret("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  })
})

const now = DateTime.makeUnsafe("2026-05-01T12:00:00Z")
const after = (seconds: number) => DateTime.addDuration(now, Duration.seconds(seconds))

describe("keys", () => {
  it("are live until they expire or are revoked; the instant of expiry is too late", () => {
    assert.isTrue(isLive({}, now))
    assert.isTrue(isLive({ expiresAt: after(1) }, now))
    assert.isFalse(isLive({ expiresAt: now }, now))
    assert.isFalse(isLive({ revokedAt: now }, now))
    assert.isFalse(isLive({ expiresAt: after(60), revokedAt: after(-60) }, now))
  })

  it("their use is stored at most once a minute", () => {
    assert.isTrue(isUseDue({}, now))
    assert.isFalse(isUseDue({ lastUsedAt: after(-59) }, now))
    assert.isTrue(isUseDue({ lastUsedAt: after(-60) }, now))
    assert.isFalse(isUseDue({ lastUsedAt: after(5) }, now))
  })

  it("lack the scopes that are required and not granted", () => {
    assert.deepStrictEqual(missingScopes(["builds"], ["builds"]), [])
    assert.deepStrictEqual(missingScopes(["builds"], ["preview_upload", "test_runs"]), ["preview_upload", "test_runs"])
    assert.deepStrictEqual(missingScopes([], []), [])
  })

  it("a rotated key ends after the overlap, but never later than before", () => {
    const overlap = Duration.hours(24)
    assert.deepStrictEqual(rotatedExpiry({}, now, overlap), after(86_400))
    assert.deepStrictEqual(rotatedExpiry({ expiresAt: after(60) }, now, overlap), after(60))
    assert.deepStrictEqual(rotatedExpiry({ expiresAt: after(90_000) }, now, overlap), after(86_400))
  })
})

describe("isSessionLive", () => {
  it("ends at the very instant at which the session expires", () => {
    const expiresAt = DateTime.makeUnsafe(1000)
    assert.isTrue(isSessionLive({ expiresAt }, DateTime.makeUnsafe(999)))
    assert.isFalse(isSessionLive({ expiresAt }, DateTime.makeUnsafe(1000)))
    assert.isFalse(isSessionLive({ expiresAt }, DateTime.makeUnsafe(1001)))
  })
})

describe("keptSource", () => {
  const isKept = Schema.is(SessionSource)

  it("keeps what is plain as it is", () => {
    const source = { address: "2001:db8::1", userAgent: "Mozilla/5.0 (ünïcode 🙂)" }
    assert.deepStrictEqual(storedSource(source), source)
  })

  it("omits absent and empty values", () => {
    assert.deepStrictEqual(storedSource({}), {})
    assert.deepStrictEqual(storedSource({ address: "", userAgent: " \t\u0000\u009f" }), {})
  })

  it("replaces control characters by spaces", () => {
    assert.deepStrictEqual(storedSource({ address: "\u00001\r\n2", userAgent: "a\u0085\u001b[31mb\u007f" }), {
      address: "1 2",
      userAgent: "a [31mb"
    })
  })

  it("cuts a text that is too long without splitting a character", () => {
    for (const long of ["x".repeat(10_000), "🙂".repeat(10_000), `x${"🙂".repeat(10_000)}`, "\ud83d".repeat(10_000)]) {
      const source = storedSource({ address: long, userAgent: long })
      assert.strictEqual(source.userAgent?.length, 512)
      assert.strictEqual(source.address?.length, 64)
      assert.isTrue(isKept(source))
    }
  })
})

const run = {
  ids: { repository: "5", owner: "9" },
  ref: "refs/heads/release/1.2",
  environment: "production",
  workflow: "acme/app/.github/workflows/release.yml@refs/heads/main",
  event: "push"
}

const why = (trust: Pick<RepositoryTrust, "conditions" | "pinned">, other: Partial<typeof run> = {}) =>
  uncovered(trust, { ...run, ...other })

describe("a trust", () => {
  it("without conditions covers each run but those for pull_request_target, which have to be allowed", () => {
    assert.isUndefined(why({}))
    assert.isUndefined(uncovered({}, { ids: run.ids }))
    assert.match(why({}, { event: "pull_request_target" }) ?? "", /pull_request_target/)
    assert.isUndefined(why({ conditions: { pullRequestTarget: true } }, { event: "pull_request_target" }))
  })

  it("covers the ids that are pinned, and no other repository's or owner's", () => {
    const trust = { pinned: { repository: "5", owner: "9" } }
    assert.isUndefined(why(trust))
    assert.match(why(trust, { ids: { repository: "6", owner: "9" } }) ?? "", /are 6 and 9; the trust has 5 and 9/)
    assert.match(why(trust, { ids: { repository: "5", owner: "8" } }) ?? "", /are 5 and 8/)
  })

  it("covers runs that fit one text of each list", () => {
    const conditions = {
      branches: ["main", "release/*"],
      environments: ["production"],
      workflows: ["acme/app/.github/workflows/release.yml@*"]
    } as const
    assert.isUndefined(why({ conditions }))
    assert.isUndefined(why({ conditions }, { ref: "refs/heads/main" }))
    assert.match(why({ conditions }, { ref: "refs/pull/7/merge" }) ?? "", /the ref is refs\/pull\/7\/merge/)
    assert.match(why({ conditions }, { ref: "refs/tags/main" }) ?? "", /the ref/)
    assert.match(why({ conditions }, { environment: "staging" }) ?? "", /the environment is staging/)
    assert.match(why({ conditions }, { workflow: "acme/app/.github/workflows/x.yml@main" }) ?? "", /the workflow/)
    assert.match(
      uncovered({ conditions: { environments: ["production"] } }, { ids: run.ids }) ?? "",
      /the environment is absent; the trust has production/
    )
  })

  for (const [pattern, fitting, others] of [
    ["main", ["main"], ["Main", "main2", "amain", ""]],
    ["release/*", ["release/", "release/1/2"], ["release", "xrelease/1"]],
    ["*", ["", "x"], []],
    ["a*b*a", ["aba", "axbxa"], ["aa", "ab", "a"]],
    ["ab*ba", ["abba"], ["aba"]],
    ["a**c", ["ac", "abc"], ["a"]],
    ["a.c", ["a.c"], ["abc"]]
  ] as const) {
    it(`takes ${pattern} as it stands, but * for any characters`, () => {
      const trust = { conditions: { environments: [pattern] } } as const
      for (const environment of fitting) assert.isUndefined(why(trust, { environment }), environment)
      for (const environment of others) assert.isDefined(why(trust, { environment }), environment)
    })
  }
})

const at = (seconds: number) => DateTime.makeUnsafe(seconds * 1000)

describe("a share link", () => {
  it("is open until the instant at which it expires", () => {
    assert.isTrue(isOpen({ expiresAt: at(60) }, at(59)))
    assert.isFalse(isOpen({ expiresAt: at(60) }, at(60)))
  })

  it("is closed once it is revoked, whatever the time", () => {
    assert.isFalse(isOpen({ expiresAt: at(60), revokedAt: at(30) }, at(10)))
  })

  it("lives a week unless it is asked to live longer or shorter, and between a minute and 90 days in any case", () => {
    const days = (asked?: Duration.Duration) => Duration.toDays(lifeOf(asked))
    assert.strictEqual(days(), 7)
    assert.strictEqual(days(Duration.days(1)), 1)
    assert.strictEqual(days(Duration.zero), 1 / (24 * 60))
    assert.strictEqual(days(Duration.infinity), 90)
  })
})
