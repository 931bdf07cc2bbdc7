/**
 * Code and docs use standard technical English, one word for each idea. This test refuses the misuses that a pattern can
 * recognize. A word with an ordinary meaning is matched only where it is misused.
 */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"

const root = join(import.meta.dirname, "..")

/** A pattern for misuses, what to write in their place, and misuses that it must match. */
type Rule = readonly [pattern: RegExp, instead: string, ...examples: ReadonlyArray<string>]

const rules: ReadonlyArray<Rule> = [
  [/\bmend(?:s|ed|ing)?\b/i, "fix, hint", "how to mend it", "mended"],
  [/\bmisfits?\b/i, "mismatch", "every misfit is listed"],
  [
    /\bleft over\b|\bleftovers (?:of|from|are|in)\b/i,
    "orphaned objects",
    "leftovers of an upload",
    "what is left over"
  ],
  [/\bhow-?manieth\b/i, "attempt number", "the how-manieth it was"],
  [/\bwho ?asks\b/i, "the caller, authenticateRequest", "whoAsks(request)", "it tells who asks"],
  [/\bvouch(?:e[sd])?\b/i, "ExternalIdentity, identifies", "a Vouched identity", "vouches for its runs"],
  [/\bby hand\b/i, "manually", "write it by hand"],
  [/\bstand-?ins?\b|\bst(?:ands?|ood|anding) in (?:for|as)\b/i, "an emulation of, replaces", "a stand-in for S3"],
  [/\b(?:such a|no such) thing\b/i, "the name of the resource", "there is no such thing"],
  [/\bnobody needs\b/i, "garbage, unused", "what nobody needs"],
  [/\bsa(?:y|ys|id|ying) so\b/i, "reports it, documented in", "it is said so", "and a log line says so"],
  [
    // An app of the fixtures shows "failed told".
    /(?<!"failed )\btold\b(?! apart)|\btells? (?:of|about)\b|\btelling\b/i,
    "report, publish, receive; given; documented in",
    "is told of events",
    "as told above",
    "unless told",
    "tells of"
  ],
  [/\b(?:unless|where) said\b/i, "by default", "both unless said"],
  [/\bgo(?:es)? by (?:itself|themselves)\b/i, "automatic, expires", "what goes by itself"],
  [/\b(?:is|are|was|were|be|been) gone\b/i, "is deleted, expired, erased, lost", "the build is gone"],
  [/\b(?:is|are|was|were|be|been) taken\b/i, "is deleted, claimed, accepted, used", "the token is taken"],
  [/(?<!such a |no such )\bthings?\b/i, "resource, or its name", "of each thing", "an account's things"],
  [/\bbelieve[sd]?\b/i, "trusted", "the header isn't believed"],
  [/\bbites?\b/i, "catches, expectCaught", "a test that bites"],
  [/\bpatience\b/i, "timeout", "after its patience"],
  [/\bdoubts?\b/i, "clock skew, tolerance", "a doubt of two seconds"],
  [/\bsoil(?:s|ed|ing)?\b/i, "mark dirty", "soil(node)"],
  // The licence of a library has "persons to whom".
  [
    /\bwho(?:so)?ever\b|\bwhomever\b|(?<!persons to )\bwhom\b/i,
    "anyone who, the caller",
    "whoever opens it",
    "as whom"
  ],
  [/\banew\b/i, "again", "is made anew"],
  [/\bgo(?:es|ne|ing)? on\b|\bwent on\b/i, "continue", "the next one goes on with it"],
  [/\bhear[sd]? of\b/i, "receive", "hears of everything"]
]

const any = new RegExp(rules.map(([{ source }]) => source).join("|"), "i")

const misusesIn = (text: string): ReadonlyArray<string> =>
  any.test(text)
    ? text.split("\n").flatMap((line, index) =>
        rules.flatMap(([pattern, instead]) => {
          const [found] = pattern.exec(line) ?? []
          return found === undefined ? [] : [`${index + 1}: "${found}": write ${instead}`]
        })
      )
    : []

/** What isn't ours: fixtures, generated listings, and this file. */
const exempt = /(?:^|\/)(?:node_modules|dist|fixtures)\/|^docs\/(?:api\/|interface\.md)|vocabulary\.test\.ts$/

const patterns = [
  "*.md",
  ".github/**/*.md",
  ".config/**/*.ts",
  "{core,adapters,hosts,conformance,docs,examples}/**/*.{ts,tsx,css,md}"
]

describe("the vocabulary", () => {
  it("is that of the field in code and docs", () => {
    const files = globSync(patterns, { cwd: root, exclude: (file) => /^(?:node_modules|dist|fixtures)$/.test(file) })
      .map((file) => file.replaceAll("\\", "/"))
      .filter((file) => !exempt.test(file))
    assert.isAbove(files.length, 900)
    const misuses = files.flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8")
      // The first column of the changelog's table of new names has the old ones.
      const ours = file === "CHANGELOG.md" ? text.replaceAll(/^\| [^|]*`[^|]*\|/gm, "|") : text
      return misusesIn(ours).map((misuse) => `${file}:${misuse}`)
    })
    assert.deepStrictEqual(misuses, [])
  })

  it.each(rules.flatMap(([, instead, ...examples]) => examples.map((example) => [example, instead] as const)))(
    'refuses "%s"',
    (example, instead) => {
      const found = misusesIn(`first\n${example}`)
      assert.deepStrictEqual(
        found.map((misuse) => misuse.replace(/".*": /, "")),
        [`2: write ${instead}`]
      )
    }
  )

  it("accepts words in their ordinary meaning", () => {
    const text =
      "It takes its place in turn and tells them apart; something else has gone; two of a kind are told apart."
    assert.deepStrictEqual(misusesIn(text), [])
  })
})
