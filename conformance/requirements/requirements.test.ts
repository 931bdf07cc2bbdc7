import { assert, describe, it } from "vitest"
import { checks } from "../checks/index.ts"
import { interfaceDigest, levelOf, proves, requirements } from "./index.ts"
import {
  checksOf,
  coverage,
  derived,
  must,
  readReviewed,
  sections,
  sentenceDigest,
  unreviewed,
  unseen
} from "./Requirement.ts"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { interfaceDocument } from "./document.ts"

/** Made by the runner of what a whole run saw: they prove no sentence. */
const ofTheRunner = ["builds.choices-kept", "previews.choices-kept", "runs.choices-kept"]

const ids = checks.map(({ id }) => id)
const twice = (all: ReadonlyArray<string>) => all.filter((one, index) => all.indexOf(one) !== index)

describe("the sentences and the checks", () => {
  it("have ids of their own", () => {
    assert.deepStrictEqual(twice(requirements.map(({ id }) => id)), [])
    assert.deepStrictEqual(twice(ids), [])
    assert.match(ids.join(" "), /^(?:(?:builds|previews|runs)\.[a-z0-9.-]+ ?)+$/)
  })

  it("prove every sentence by checks that there are, each named once, or say why it can't be proven", () => {
    const wrong = requirements.flatMap((requirement) => {
      const named = checksOf(requirement)
      const unknown = named.filter((id) => !ids.includes(id))
      const reason = "unobservable" in requirement ? requirement.unobservable : ""
      const isSaid = named.length > 0 === (reason === "")
      const { id, section } = requirement
      return unknown.length + twice(named).length > 0 || !isSaid
        ? [{ sentence: `§${section} ${id}`, unknown, twice: twice(named), checks: named.length, reason }]
        : []
    })
    assert.deepStrictEqual(wrong, [])
  })

  it("hold no check that proves no sentence", () => {
    assert.deepStrictEqual(
      ids.filter((id) => proves(id).length === 0),
      []
    )
  })

  it("hold drawn sequences to sentences that bind and name a drawn check, each by its id", () => {
    const files = ["model.ts", "drawnUploads.ts", "drawnRuns.ts"]
    const code = files.map((file) => readFileSync(join(import.meta.dirname, "../checks", file), "utf8")).join("\n")
    const cited = [...code.matchAll(/"((?:auth|builds|previews|runs|service|slots)\.[a-z.-]+)"/g)].map(
      ([, id = ""]) => id
    )
    assert.isAbove(cited.length, 40)
    const isBinding = (id: string) =>
      requirements.some(
        (one) => one.id === id && one.level === "MUST" && checksOf(one).some((check) => check.includes(".drawn."))
      )
    assert.deepStrictEqual(
      [...new Set(cited)].filter((id) => !isBinding(id)),
      []
    )
  })

  it("cover every observable MUST, and the runner's checks are in nobody's way", () => {
    const { coveredMusts, observableMusts } = coverage(requirements, checks)
    assert.strictEqual(coveredMusts, observableMusts)
    assert.isAbove(observableMusts, 50)
    assert.deepStrictEqual(
      ofTheRunner.filter((id) => proves(id).length > 0 || ids.includes(id)),
      []
    )
  })

  it("bind without exception where they are stated, and never where they only follow from others", () => {
    assert.deepStrictEqual(
      requirements.filter(({ from, level }) => (from === undefined) !== (level === "MUST")).map(({ id }) => id),
      []
    )
    const known = new Set(sections.map(({ number }) => number))
    assert.deepStrictEqual(
      requirements.filter(({ from = [] }) => from.some((section) => !known.has(section))).map(({ id }) => id),
      []
    )
  })

  it("name the profile of a check in its id", () => {
    const prefixes = { builds: "builds.", previews: "previews.", testRuns: "runs." }
    assert.deepStrictEqual(
      checks.filter(({ id, profile }) => !id.startsWith(prefixes[profile])).map(({ id }) => id),
      []
    )
  })
})

describe("coverage", () => {
  const [check] = checks
  const id = check?.id ?? ""
  const sentences = [
    derived("two", "4.10", "Two.", ["4.9"], [id]),
    must("one", "4.9", "One.", [id]),
    must("none", "2.1", "None.", ["builds.no-such-check"]),
    unseen("unseen", "8", "Unseen.", "It doesn't show.")
  ]

  it("has the sentences by section, each with its checks or the reason why it has none", () => {
    const { rows } = coverage(sentences, checks)
    assert.deepStrictEqual(
      rows.map((row) => [row.section, row.id, row.level, row.checks.length, row.unobservable]),
      [
        ["2.1", "none", "MUST", 0, undefined],
        ["4.9", "one", "MUST", 1, undefined],
        ["4.10", "two", "SHOULD", 1, undefined],
        ["8", "unseen", "MUST", 0, "It doesn't show."]
      ]
    )
    assert.strictEqual(rows[1]?.checks[0]?.title, check?.title)
  })

  it("counts no check that isn't there, and no sentence that doesn't show", () => {
    const { coveredMusts, observableMusts, sentences: all, unobservable } = coverage(sentences, checks)
    assert.deepStrictEqual([all, observableMusts, coveredMusts, unobservable], [4, 2, 1, 1])
  })
})

describe("the level of a check", () => {
  it("is the strongest among its sentences", () => {
    assert.strictEqual(levelOf("runs.register.stored"), "MUST")
    assert.strictEqual(levelOf("previews.put.as-get"), "SHOULD")
  })
})

describe("docs/interface.md", () => {
  it("is what the requirements say", () => {
    const kept = readFileSync(join(import.meta.dirname, "../../docs/interface.md"), "utf8")
    assert.strictEqual(kept, interfaceDocument(), "run: node conformance/requirements/document.ts")
  })

  it("has a section for every requirement", () => {
    const known = new Set(sections.map(({ number }) => number))
    assert.deepStrictEqual(
      requirements.filter(({ section }) => !known.has(section)).map(({ id }) => id),
      []
    )
  })
})

// A changed sentence must be reviewed before it is used.

const reviewed = readReviewed(readFileSync(join(import.meta.dirname, "reviewed.json"), "utf8"))

describe("reviewed.json", () => {
  it("has every sentence as it reads now", () => {
    const open = unreviewed(requirements, reviewed)
    assert.deepStrictEqual(
      open,
      [],
      `Review each of them: do its checks prove the current text? Then run: node conformance/requirements/review.ts ${open.join(" ")}`
    )
  })
})

describe("a sentence must be reviewed", () => {
  const sentence = must("a.b", "1", "It does.", ["a.check"])
  const seen = { "a.b": sentenceDigest(sentence) }

  it("when its text, its level or its section is another, and not when its checks are", () => {
    const others = [
      { ...sentence, text: "It doesn't." },
      { ...sentence, level: "SHOULD" as const },
      { ...sentence, section: "2" }
    ]
    for (const other of others) assert.deepStrictEqual(unreviewed([other], seen), ["a.b"])
    assert.deepStrictEqual(unreviewed([must("a.b", "1", "It does.", ["another.check"])], seen), [])
  })

  it("when it is new, and when it was removed", () => {
    assert.deepStrictEqual(unreviewed([sentence], {}), ["a.b"])
    assert.deepStrictEqual(unreviewed([], seen), ["a.b"])
  })
})

describe("the digest of the interface", () => {
  it("is a SHA-256", () => {
    assert.match(interfaceDigest, /^[0-9a-f]{64}$/)
  })
})
