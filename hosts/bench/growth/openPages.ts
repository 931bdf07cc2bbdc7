/** What open pages cost a host: each listens to the changes of its account, and loads itself again when something changed. */
import { setTimeout as sleep } from "node:timers/promises"
import { createClient } from "../../client/index.ts"
import { cookieOf, type Side } from "../peers/slipway.ts"
import { cpuMillisOf } from "../program.ts"
import { owner, repo } from "../repository.ts"

const named = String(new URLSearchParams({ owner, repo }))
const paths = ["/", `/repositories?${named}`, `/sources?${named}&source=bench:1/1`]

/** A page as a browser has it open. It waits for as long as the host says, at a random moment, as the page's script does. */
const open = async (url: string, cookie: string, index: number, signal: AbortSignal): Promise<number> => {
  const headers = { cookie }
  const decoder = new TextDecoder()
  let [loads, seen, isWaiting] = [0, "", false]
  const load = async (seconds: number): Promise<void> => {
    isWaiting = true
    await sleep(500 + Math.random() * seconds * 1000, undefined, { signal })
    isWaiting = false
    await (await fetch(url + (paths[index % paths.length] ?? "/"), { headers, signal })).text()
    loads += 1
  }
  const stream = await fetch(`${url}/changes`, { headers, signal })
  if (stream.status !== 200 || stream.body === null) throw new Error(`/changes answered ${stream.status}`)
  try {
    for await (const chunk of stream.body) {
      const [, id = "", data = ""] = /^id: (\S*)\ndata: (\d+)/m.exec(decoder.decode(chunk)) ?? []
      if (id === "") continue
      if (seen !== "" && seen !== id && !isWaiting) void load(Number(data)).catch(() => undefined)
      seen = id
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return loads
}

/** The share of a core that a host needs for so many seconds with open pages, while runs are registered, and the same without pages. */
export const openPages = async (
  { key, pid, url }: Pick<Side, "key" | "pid" | "url">,
  options: { readonly pages: number; readonly seconds: number; readonly runs: number }
) => {
  const client = createClient({ url, key })
  const cookie = await cookieOf(url, key)
  const { testRuns } = await client.testRuns.list({ org: owner, repo, limit: 1 })
  const previewShareId = testRuns[0]?.previewShareId ?? ""
  const measured = async (): Promise<number> => {
    const before = cpuMillisOf(pid)
    for (let run = 0; run < options.runs; run += 1) {
      await sleep((options.seconds * 1000) / options.runs)
      await client.testRuns.register({
        kind: "maestro",
        name: `run ${run}`,
        status: "passed",
        owner,
        repo,
        branch: "main",
        source: "bench:1/1",
        previewShareId
      })
    }
    return (cpuMillisOf(pid) - before) / (options.seconds * 1000)
  }
  const without = await measured()
  const controller = new AbortController()
  const pages = Array.from({ length: options.pages }, (_, index) => open(url, cookie, index, controller.signal))
  // The first lines of the streams.
  await sleep(5000)
  const share = await measured()
  controller.abort()
  const loads = (await Promise.all(pages)).reduce((sum, count) => sum + count, 0)
  return { share, without, loads }
}
