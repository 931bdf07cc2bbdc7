import { assert, describe, it } from "@effect/vitest"
import type { RepositoryTrust } from "../model/RepositoryTrust.ts"
import { uncovered } from "./trusts.ts"

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
