import { assert, it } from "@effect/vitest"
import { gitParts } from "./facts.ts"

const git = { branch: "feature/a b", commitSha: "5ee0d1e5".repeat(5), pr: 7 }

const linksOf = (webUrl: string) =>
  gitParts({ webUrl }, git).map((part) => /href="([^"]*)"/.exec(String(part))?.[1]?.slice(webUrl.length))

it("branches, commits and pull requests link to where the repository is", () => {
  const { commitSha } = git
  assert.deepStrictEqual(linksOf("https://github.com/acme/app"), [
    "/tree/feature/a%20b",
    `/commit/${commitSha}`,
    "/pull/7"
  ])
  assert.deepStrictEqual(linksOf("https://gitlab.acme.example/group/app"), [
    "/-/tree/feature/a%20b",
    `/-/commit/${commitSha}`,
    "/-/merge_requests/7"
  ])
  assert.deepStrictEqual(linksOf("https://bitbucket.org/acme/app"), [
    "/branch/feature/a%20b",
    `/commits/${commitSha}`,
    "/pull-requests/7"
  ])
  assert.notInclude(String(gitParts({}, git)), "href")
})
