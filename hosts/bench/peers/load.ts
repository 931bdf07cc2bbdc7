/** The load on a side, and what it costs the side's processes. */
import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { Agent, request, type IncomingMessage } from "node:http"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { promisify } from "node:util"
import { familyCpuMillis, familyOf, memoryOf, quantile } from "../program.ts"
import type { Scratch } from "./slipway.ts"

export interface Figure {
  readonly perSecond: number
  readonly p50Millis: number
  readonly p99Millis: number
  /** Processor time of the side's own processes, of its database's not; absent where the load runs in the database. */
  readonly cpuMicros?: number
  readonly peakMiB?: number
}

interface Counted extends Figure {
  readonly requests: number
}

/** Measures the processor time and the memory of a process while `work` is done. */
export const costing = async (pid: number, work: () => Promise<Counted>): Promise<Figure> => {
  const before = familyCpuMillis(pid)
  const { requests, ...figure } = await work()
  return {
    ...figure,
    cpuMicros: ((familyCpuMillis(pid) - before) * 1000) / requests,
    peakMiB: familyOf(pid).reduce((sum, one) => sum + memoryOf(one, "VmHWM"), 0)
  }
}

export interface Load {
  readonly pid: number
  readonly url: string
  readonly key: string
  readonly connections: number
  readonly seconds: number
}

/** The files that wrk sends: those in a folder, named from 0. */
export interface Sent {
  readonly folder: string
  /** The path and query to which each file is sent; after the last one, the first file is sent again. */
  readonly paths: ReadonlyArray<string>
}

const report = `
  function done(summary, latency)
    local errors = summary.errors
    io.stderr:write(string.format('{"requests":%d,"micros":%d,"p50":%d,"p99":%d,"errors":%d}',
      summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
      errors.connect + errors.read + errors.write + errors.status + errors.timeout))
  end
`

const puts = ({ folder, paths }: Sent): string => `
  local paths, bodies, sent = {${paths.map((path) => JSON.stringify(path)).join(",")}}, {}, 0
  for index = 1, #paths do
    local file = io.open("${folder}/" .. index - 1, "rb")
    bodies[index] = file:read("*a")
    file:close()
  end
  function request()
    local index = sent % #paths + 1
    sent = sent + 1
    return wrk.format("PUT", paths[index], nil, bodies[index])
  end
`

/**
 * Reads one URL for so many seconds by wrk, or sends files to the paths of \`sent\`. Throws at any answer but success, which would falsify
 * the measurement.
 */
export const loading = (
  scratch: Scratch,
  wrk: string,
  { connections, key, pid, seconds, url }: Load,
  sent?: Sent
): Promise<Figure> =>
  costing(pid, async () => {
    // Two hosts are loaded at the same time.
    const script = join(scratch.folder, `wrk-${pid}.lua`)
    writeFileSync(script, sent === undefined ? report : report + puts(sent))
    // A slow answer is one: it counts in the p99.
    const timeout = ["--timeout", "30s"]
    const headers = ["-H", `authorization: Bearer ${key}`, "-H", "content-type: application/octet-stream"]
    const args = ["-t1", `-c${connections}`, `-d${seconds}s`, ...timeout, "-s", script, ...headers, url]
    const { stderr } = await promisify(execFile)(wrk, args, { env: scratch.env })
    const { errors, micros, p50, p99, requests }: Record<string, number> = JSON.parse(stderr)
    if (errors !== 0 || requests === undefined || micros === undefined) throw new Error(`${url}: ${stderr}`)
    return {
      requests,
      perSecond: requests / (micros / 1e6),
      p50Millis: (p50 ?? 0) / 1000,
      p99Millis: (p99 ?? 0) / 1000
    }
  })

/** One request of a work that can be done only once, as a finalize. */
export interface Once {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const sent = async (url: string, agent: Agent, { body, headers, path }: Once): Promise<void> => {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const length = Buffer.byteLength(body)
    request(url + path, { agent, method: "POST", headers: { ...headers, "content-length": length } }, resolve)
      .on("error", reject)
      .end(body)
  })
  const said = await text(answer)
  if ((answer.statusCode ?? 500) >= 300) throw new Error(`POST ${url}${path}: ${answer.statusCode} ${said}`)
}

/** How many requests are sent between two pauses. */
const requestsOfPart = 500

/**
 * Sends each of the requests once, on so many connections. Throws at any answer but success. `pause` runs before each part of the
 * requests, and its time doesn't count.
 */
export const sendingEach = (
  side: { readonly pid: number; readonly url: string },
  requests: ReadonlyArray<Once>,
  connections: number,
  pause?: () => Promise<void>
): Promise<Figure> =>
  costing(side.pid, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: connections })
    const millis = new Array<number>()
    let total = 0
    for (let sentBefore = 0; sentBefore < requests.length; sentBefore += requestsOfPart) {
      await pause?.()
      const next = requests.slice(sentBefore, sentBefore + requestsOfPart).values()
      const began = performance.now()
      const work = async () => {
        for (const one of next) {
          const start = performance.now()
          await sent(side.url, agent, one)
          millis.push(performance.now() - start)
        }
      }
      await Promise.all(Array.from({ length: connections }, work))
      total += performance.now() - began
    }
    agent.destroy()
    return {
      requests: requests.length,
      perSecond: requests.length / (total / 1000),
      p50Millis: quantile(millis, 0.5),
      p99Millis: quantile(millis, 0.99)
    }
  })

/** Runs a script of statements by pgbench, prepared, on so many connections; the load and the work are the database's. */
export const inDatabase = async (
  scratch: Scratch,
  pgbench: string,
  options: { readonly url: string; readonly script: string; readonly connections: number; readonly seconds: number }
): Promise<Figure> => {
  const file = join(scratch.folder, "statements.sql")
  writeFileSync(file, options.script)
  const args = [
    "-n",
    "-M",
    "prepared",
    "-f",
    file,
    "-c",
    String(options.connections),
    "-j",
    "1",
    "-T",
    String(options.seconds)
  ]
  const { stdout } = await promisify(execFile)(pgbench, [...args, options.url], { env: scratch.env })
  const figure = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1])
  const average = figure(/latency average = ([\d.]+)/)
  return { perSecond: figure(/tps = ([\d.]+)/), p50Millis: average, p99Millis: NaN }
}
