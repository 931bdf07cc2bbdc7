/** Where the interface leaves the behavior open, each host responds as the table in README.md documents. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import type { Start } from "./parts/FairHost.ts"
import { fairHosts } from "./hosts.ts"
import { commit, content, type Said } from "./testing/client.ts"
import { prepared } from "./testing/prepared.ts"

const bundle = content("index.js", "text/javascript", "globalThis.app = 1\n")
const unknownId = "00000000-0000-4000-8000-000000000000"

/** What a host answers to each. */
const observe = async (start: Start) => {
  const { a, b, client, clock, host } = await prepared(start)
  const { all, builds } = a.keys
  const reserved = await client.reserveBuild(all, bundle)
  const preview = await client.reservePreview(all, bundle)
  const early = {
    "latest build of a branch whose only build is being uploaded": await client.get(all, "builds", {
      ...a.linked,
      branch: "main"
    }),
    "finalize a build with a missing object": await client.finalizeBuild(all, reserved.token()),
    "finalize a preview with a missing object": await preview.finalize(all),
    "read a preview that is being uploaded": await client.get(all, `previews/${preview.shareId()}`),
    "register a run of a preview that is being uploaded": await client.register(all, preview.shareId())
  }
  const slot = reserved.slot()
  const puts = {
    "POST to a PUT URL": await client.put(slot, bundle.bytes, { method: "POST" }),
    "PUT with an altered signature": await client.put(slot, bundle.bytes, { url: slot.putUrl.slice(0, -4) }),
    "PUT with another content type": await client.put(slot, bundle.bytes, { type: "text/x-other" }),
    "PUT with another length": await client.put(slot, bundle.bytes.subarray(1)),
    PUT: await client.put(slot, bundle.bytes),
    "PUT a second time": await client.put(slot, bundle.bytes)
  }
  await client.put(preview.slot(), bundle.bytes)
  const foreignToken = await client.finalizeBuild(b.keys.all, reserved.token())
  await client.finalizeBuild(all, reserved.token())
  const finalizePreview = await preview.finalize(all)
  const shareId = preview.shareId()
  const register = await client.register(all, shareId, { status: "broken" })
  const listed = async (status: string): Promise<string> => {
    const said = await client.list(all, { status })
    return said.status === 200 ? `${client.itemsIn(said.json).length} listed` : String(said.status)
  }
  const late = await client.reserveBuild(all, bundle, { commitSha: commit(2) })
  const other = await client.reserveBuild(all, bundle, { commitSha: commit(3) })
  await client.put(other.slot(), bundle.bytes)

  const answers = {
    ...early,
    ...puts,
    "reserve a build": reserved.said,
    "reserve a preview": preview.said,
    "finalize a preview": finalizePreview,
    "register a run": register,
    "no key": await client.list(undefined),
    "a key without the scope": await client.list(builds),
    "finalize with another account's token": foreignToken,
    "finalize with an unknown token": await client.finalizeBuild(all, unknownId),
    "finalize a second time": await client.finalizeBuild(all, reserved.token()),
    "PUT after finalize": await client.put(slot, bundle.bytes),
    "read a build that was never made": await client.get(all, `builds/${unknownId}`),
    "read another account's preview": await client.get(b.keys.all, `previews/${shareId}`),
    "read a preview that was never made": await client.get(all, `previews/${unknownId}`),
    "latest build without a branch": await client.get(all, "builds", { ...a.linked }),
    "latest build of a branch that has none": await client.get(all, "builds", { ...a.linked, branch: "empty" }),
    "reserve for a repository that is not linked": (await client.reserveBuild(all, bundle, { ...a.unlinked })).said,
    "list the runs of a repository that is not linked": await client.list(all, { repo: a.unlinked.repo }),
    "register a run of a repository that is not linked": await client.register(all, shareId, { ...a.unlinked }),
    "reserve for another platform": (await client.reserveBuild(all, bundle, { platform: "windows" })).said,
    "a body that is not JSON": await client.send(`${host.url}/api/v1/builds`, {
      method: "POST",
      headers: client.presented(all),
      body: "{"
    }),
    "DELETE of the builds": await client.send(`${host.url}/api/v1/builds`, {
      method: "DELETE",
      headers: client.presented(all)
    }),
    "list with a limit that is no number": await client.list(all, { limit: "many" }),
    "reserve with a commit hash in upper case": (
      await client.reserveBuild(all, bundle, { commitSha: "ABCDEF1234".repeat(4) })
    ).said,
    "reserve with a field that is not in the interface": (await client.reserveBuild(all, bundle, { surprise: true }))
      .said,
    "reserve without `entry`": (await client.reserveBuild(all, bundle, { entry: undefined })).said
  }
  clock.advance(600_000)
  const afterwards = {
    "finalize with an expired token": await client.finalizeBuild(all, other.token()),
    "PUT to an expired URL": await client.put(late.slot(), bundle.bytes)
  }
  const status = ([name, said]: readonly [string, Said]) => [name, String(said.status)]
  const lists: Readonly<Record<string, string>> = {
    "list with `status=failed`, after a run with status `broken`": await listed("failed"),
    "list with `status=broken`, after the same run": await listed("broken"),
    "list with `status=unheard-of`": await listed("unheard-of")
  }
  return { ...Object.fromEntries(Object.entries({ ...answers, ...afterwards }).map(status)), ...lists }
}

/** The columns of the table, by the name of the host. */
const table = (): Readonly<Record<string, Readonly<Record<string, string>>>> => {
  const readme = readFileSync(join(import.meta.dirname, "README.md"), "utf8")
  const [, written = ""] = readme.split("## Responses of each host")
  const cells = written
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").map((cell) => cell.trim()))
  const [head = [], , ...rows] = cells
  const column = (index: number) => Object.fromEntries(rows.map((row) => [row[1], row[index]]))
  return Object.fromEntries(head.flatMap((name, index) => (index > 1 && name !== "" ? [[name, column(index)]] : [])))
}

describe("the responses of each host in the table of README.md", () => {
  for (const [name, start] of Object.entries(fairHosts)) {
    it(name, async () => {
      assert.deepStrictEqual(await observe(start), table()[name])
    })
  }

  it("is not the same in any two of them", () => {
    const columns = Object.values(table()).map((column) => JSON.stringify(column))
    assert.lengthOf(columns, Object.keys(fairHosts).length)
    assert.strictEqual(new Set(columns).size, columns.length)
  })
})
