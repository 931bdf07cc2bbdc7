/** The works that are measured, each with its sides; Slipway comes first. */
import { spawn } from "node:child_process"
import { randomBytes, randomUUID } from "node:crypto"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, openAsBlob, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { freePort } from "../../../adapters/postgres/testing/freePort.ts"
import { createClient, type Slot } from "../../client/index.ts"
import { started } from "../program.ts"
import { fill, owner, repo } from "../repository.ts"
import { type Figure, inDatabase, loading, type Once, sendingEach } from "./load.ts"
import {
  hostedPath,
  reserveBody,
  reservedPaths,
  type Scratch,
  sha256,
  type Side,
  smallBundle,
  startAnother,
  startSlipway,
  writeFiles
} from "./slipway.ts"

export interface Row {
  readonly work: string
  /** Compares small differences: many rounds of a second, of which a disturbance spoils only a few. */
  readonly brief?: true
  readonly sides: ReadonlyArray<{ readonly name: string; readonly run: (seconds: number) => Promise<Figure> }>
}

const secret = "a secret of the bench, long enough to be one"

const json = (key: string) => ({ authorization: `Bearer ${key}`, "content-type": "application/json" })

/** So many of something, made a few at a time. */
const many = async <A>(count: number, make: () => Promise<A>): Promise<ReadonlyArray<A>> => {
  const made = new Array<A>()
  const work = async () => {
    while (made.length < count) made.push(await make())
  }
  await Promise.all(Array.from({ length: 16 }, work))
  return made.slice(0, count)
}

/** What the measured sides answer to a reservation. */
interface Reserved {
  readonly token: string
  readonly slots: { readonly bundle: Slot }
  /** The name of the staged file, of Fastify's. */
  readonly reservation: string
}

const post = async (side: Side, body: Readonly<Record<string, unknown>>): Promise<Reserved> => {
  const answer = await fetch(`${side.url}/api/v1/builds`, {
    method: "POST",
    headers: json(side.key),
    body: JSON.stringify(body)
  })
  if (!answer.ok) throw new Error(`${side.url} answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

const createDatabase = async (scratch: Scratch, url: string, name: string): Promise<string> => {
  const client = await connected(scratch, url)
  await client.query(`create database ${name}`)
  await client.end()
  const made = new URL(url)
  made.pathname = `/${name}`
  return made.href
}

/** The figures of hosts that were loaded at the same time, as one: their requests together, and the slower of their times. */
const together = (figures: ReadonlyArray<Figure>): Figure => {
  const of = (pick: (figure: Figure) => number | undefined) => figures.map((figure) => pick(figure) ?? NaN)
  const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((total, one) => total + one, 0)
  return {
    perSecond: sum(of(({ perSecond }) => perSecond)),
    p50Millis: Math.max(...of(({ p50Millis }) => p50Millis)),
    p99Millis: Math.max(...of(({ p99Millis }) => p99Millis)),
    cpuMicros: sum(of(({ cpuMicros }) => cpuMicros)) / figures.length,
    peakMiB: sum(of(({ peakMiB }) => peakMiB))
  }
}

export const rowsOf = async (options: {
  readonly scratch: Scratch
  readonly main: string
  readonly root: string
  readonly database: string
  /** Is given everything that was started, to be stopped in the end, also when something after it doesn't start. */
  readonly stopLater: (side: Side) => void
}): Promise<ReadonlyArray<Row>> => {
  const { main, root, scratch } = options
  const kept = async <S extends Side>(starting: Promise<S>): Promise<S> => {
    const side = await starting
    options.stopLater(side)
    return side
  }
  const [ours, theirs] = [
    await createDatabase(scratch, options.database, "slipway_bench"),
    await createDatabase(scratch, options.database, "peers")
  ]
  const onPostgres = await kept(
    startSlipway(main, root, {
      DATABASE_URL: ours,
      SLIPWAY_SECRET: secret
    })
  )
  // These are started together. Compared with the first host, which starts alone, an equal host used 17 % less CPU time.
  const observed = {
    Slipway: {},
    "Slipway, alike": {},
    "with metrics": { SLIPWAY_METRICS_PORT: "0" },
    "with metrics and JSON logs": { SLIPWAY_METRICS_PORT: "0", SLIPWAY_ACCESS_LOG: "all", SLIPWAY_LOG_FORMAT: "json" }
  }
  const observers = new Map<string, Side>()
  for (const [index, [name, env]] of Object.entries(observed).entries()) {
    const DATABASE_URL = await createDatabase(scratch, options.database, `observed_${index}`)
    observers.set(name, await kept(startSlipway(main, root, { ...env, DATABASE_URL, SLIPWAY_SECRET: secret })))
  }
  const embedded = await kept(startSlipway(main, root, {}))
  const { build, key } = await fillDatabase(scratch, theirs)
  const fastify = await kept(startProgram(scratch, "fastify.mjs", theirs, key))
  const node = await kept(startProgram(scratch, "node.mjs", theirs, key))
  const turborepo = await kept(startTurborepo(scratch))
  const [wrk, nginxProgram, pgbench] = (["wrk", "nginx", "pgbench"] as const).map(scratch.program)
  const nginx = nginxProgram === undefined ? undefined : await kept(startNginx(scratch, nginxProgram))

  const builds = new Map<Side, string>([
    [fastify, build],
    [node, build]
  ])
  for (const side of [onPostgres, ...observers.values()]) builds.set(side, await fill(side.url, side.key))
  const readBuild = (name: string, side: Side, connections: number) => ({
    name,
    run: (seconds: number) =>
      loading(scratch, wrk ?? "", {
        ...side,
        url: `${side.url}/api/v1/builds/${builds.get(side)}`,
        connections,
        seconds
      })
  })
  const reads = [2, 32, 256].map((connections): Row => ({
    work: `read a build, PostgreSQL, ${connections} connections`,
    sides: [
      readBuild("Slipway", onPostgres, connections),
      readBuild("Fastify + pg", fastify, connections),
      readBuild("node:http + pg", node, connections)
    ]
  }))

  const observing: Row = {
    work: "read a build with metrics and logs, PostgreSQL, 32 connections",
    brief: true,
    sides: Array.from(observers, ([name, side]) => readBuild(name, side, 32))
  }

  /** As if an hour had passed: open reservations have ended, of which an account may have 1,000, and autovacuum knows the tables. */
  const passHour = async () => {
    const hour = "interval '1 hour'"
    const earlier = [
      `update build_reservations set reserved_at = reserved_at - ${hour}, expires_at = expires_at - ${hour} where finalized_at is null`,
      `update account_open_uploads set as_of = as_of - ${hour}`,
      "analyze"
    ]
    for (const [url, ...statements] of [[ours, ...earlier] as const, [theirs, "analyze"] as const]) {
      const client = await connected(scratch, url)
      for (const statement of statements) await client.query(statement)
      await client.end()
    }
  }
  const reserving = (name: string, side: Side, pause = passHour) => ({
    name,
    run: (seconds: number) => {
      const one = (): Once => ({
        path: "/api/v1/builds",
        headers: json(side.key),
        body: JSON.stringify(reserveBody())
      })
      return sendingEach(side, Array.from({ length: 1000 * seconds }, one), 32, pause)
    }
  })
  /** A host whose account has 10,000 open reservations, and more after each round. */
  const crowded = await kept(
    startSlipway(main, root, {
      DATABASE_URL: await createDatabase(scratch, options.database, "crowded"),
      SLIPWAY_MAX_OPEN_RESERVATIONS: "1000000",
      SLIPWAY_SECRET: secret
    })
  )
  let isCrowded = false
  const reservingBehind = {
    name: "Slipway",
    run: async (seconds: number) => {
      if (!isCrowded) await many(10_000, () => post(crowded, reserveBody()))
      isCrowded = true
      return reserving("Slipway", crowded, async () => {}).run(seconds)
    }
  }
  const finalizing = (name: string, side: Side, put: (reserved: Reserved, bundle: Buffer) => Promise<unknown>) => ({
    name,
    run: async (seconds: number) => {
      await passHour()
      const tokens = await many(200 * seconds, async () => {
        const bundle = smallBundle()
        const reserved = await post(side, reserveBody(bundle))
        await put(reserved, bundle)
        return reserved.token
      })
      const requests = tokens.map((token): Once => ({
        path: "/api/v1/builds",
        headers: json(side.key),
        body: JSON.stringify({ operation: "finalize", token })
      }))
      return sendingEach(side, requests, 32)
    }
  })
  const client = createClient({ url: onPostgres.url, key: onPostgres.key })
  const another = await kept(startAnother(main, root, onPostgres, { DATABASE_URL: ours, SLIPWAY_SECRET: secret }))
  const hosts = [onPostgres, another]
  const previewBundle = smallBundle()
  const preview = await client.previews.reserve(reserveBody(previewBundle))
  await client.put(preview.slots.bundle, previewBundle)
  await client.previews.finalize(preview.token)
  /** Runs of as many tests and sources as connections, so that no two of them wait for each other's history. */
  const registering = (side: Side, connections: number, seconds: number) => {
    const one = (_: unknown, index: number): Once => ({
      path: "/api/v1/test-runs",
      headers: json(side.key),
      body: JSON.stringify({
        kind: "maestro",
        status: "passed",
        owner,
        repo,
        branch: "main",
        previewShareId: preview.shareId,
        name: `${side.pid}: flow ${index % connections}`,
        source: `bench:${side.pid}-${index % connections}`
      })
    })
    return sendingEach(side, Array.from({ length: 300 * seconds }, one), connections)
  }
  const readingAt = (side: Side, connections: number, seconds: number) => {
    const url = `${side.url}/api/v1/builds/${builds.get(onPostgres)}`
    return loading(scratch, wrk ?? "", { ...side, url, connections, seconds })
  }
  /** One host with 32 connections, and two that share them. */
  const twoHosts = (work: string, load: typeof registering): Row => ({
    work: `${work}, two hosts on one PostgreSQL, 32 connections`,
    sides: [
      {
        name: "two hosts",
        run: async (seconds) => together(await Promise.all(hosts.map((side) => load(side, 16, seconds))))
      },
      { name: "one host", run: (seconds) => load(onPostgres, 32, seconds) }
    ]
  })
  const writes: ReadonlyArray<Row> = [
    {
      work: "reserve a build, up to 500 open, PostgreSQL, 32 connections",
      sides: [
        reserving("Slipway", onPostgres),
        reserving("Fastify + pg", fastify),
        ...(pgbench === undefined
          ? []
          : [
              {
                name: "pgbench",
                run: (seconds: number) =>
                  inDatabase(scratch, pgbench, { url: theirs, script: reserveStatements, connections: 32, seconds })
              }
            ])
      ]
    },
    {
      work: "reserve a build, 10,000 open and more, PostgreSQL, 32 connections",
      sides: [reservingBehind, reserving("Fastify + pg", fastify)]
    },
    {
      work: "finalize a build of one object, PostgreSQL, 32 connections",
      sides: [
        finalizing("Slipway", onPostgres, ({ slots }, bundle) => client.put(slots.bundle, bundle)),
        finalizing("Fastify + pg", fastify, async ({ reservation }, bundle) =>
          writeFileSync(join(fastify.folder, "staging", reservation), bundle)
        )
      ]
    }
  ]

  const files = writeFiles(scratch)
  const paths = (path: () => string) => async () => files.hashes.map(path)
  const putting = (name: string, side: Side, pathsOf: () => Promise<ReadonlyArray<string>>) => ({
    name,
    run: async (seconds: number) =>
      loading(scratch, wrk ?? "", { ...side, connections: 8, seconds }, { ...files, paths: await pathsOf() })
  })
  const artifact = () => `/v8/artifacts/${randomUUID().replaceAll("-", "")}?teamId=team_bench`
  const plain = () => `/${randomUUID()}`
  const put: Row = {
    work: "PUT 1 MiB, embedded, 8 connections",
    sides: [
      putting("Slipway", embedded, () => reservedPaths(embedded, files)),
      putting("turborepo-remote-cache", turborepo, paths(artifact)),
      ...(nginx === undefined ? [] : [putting("nginx, no fsync", nginx, paths(plain))]),
      putting("node:http, fsync", node, paths(plain))
    ]
  }

  const uploaded = async (side: Side, path: string): Promise<string> => {
    const headers = { "content-type": "application/octet-stream", authorization: `Bearer ${side.key}` }
    const answer = await fetch(side.url + path, {
      method: "PUT",
      headers,
      body: await openAsBlob(join(files.folder, "0"))
    })
    if (!answer.ok) throw new Error(`${side.url}${path} answered ${answer.status}`)
    return path
  }
  const getting = (name: string, side: Side, path: string) => ({
    name,
    run: (seconds: number) => loading(scratch, wrk ?? "", { ...side, url: side.url + path, connections: 8, seconds })
  })
  const get: Row = {
    work: "GET 1 MiB of a preview with 401 files, embedded, 8 connections",
    sides: [
      getting("Slipway", embedded, await hostedPath(embedded, files)),
      getting("turborepo-remote-cache", turborepo, await uploaded(turborepo, artifact())),
      ...(nginx === undefined ? [] : [getting("nginx", nginx, await uploaded(nginx, plain()))]),
      getting("node:http", node, await uploaded(node, plain()))
    ]
  }

  const proxied = async (program: string): Promise<Row> => {
    const [port, hostPort] = [await freePort(), await freePort()]
    const SLIPWAY_URL = `http://127.0.0.1:${port}`
    const env = { SLIPWAY_URL, SLIPWAY_TRUSTED_PROXIES: "127.0.0.1", SLIPWAY_SENDFILE: "x-accel-redirect" }
    const host = await kept(startSlipway(main, root, env, hostPort))
    await kept(startNginx(scratch, program, exampleServers(hostPort, host.data), port))
    const alone = await kept(startNginx(scratch, program))
    return {
      work: "GET 1 MiB of a preview with 401 files by nginx, embedded, 8 connections",
      sides: [
        getting("Slipway", host, await hostedPath(host, files)),
        getting("nginx", alone, await uploaded(alone, plain()))
      ]
    }
  }
  const byNginx = nginxProgram === undefined ? [] : [await proxied(nginxProgram)]
  const shared = [
    ...(wrk === undefined ? [] : [twoHosts("read a build", readingAt)]),
    twoHosts("register a run", registering)
  ]
  return wrk === undefined ? [...writes, ...shared] : [...reads, observing, ...writes, put, get, ...byNginx, ...shared]
}

// The peers as processes: programs that share none of our code.

const production = { ...process.env, NODE_ENV: "production" }

/** A connection to a database, by the peers' driver. */
export const connected = async (scratch: Scratch, connectionString: string) => {
  const { default: pg } = await import(createRequire(join(scratch.folder, "package.json")).resolve("pg"))
  const client = new pg.Client({ connectionString })
  await client.connect()
  return client
}

/** The rows of the peers' database that the measured requests ask for; answers the key and the id of a build. */
export const fillDatabase = async (
  scratch: Scratch,
  url: string
): Promise<{ readonly key: string; readonly build: string }> => {
  const client = await connected(scratch, url)
  await client.query(readFileSync(join(scratch.folder, "schema.sql"), "utf8"))
  const [account, repository, build, key] = [randomUUID(), randomUUID(), randomUUID(), randomBytes(24).toString("hex")]
  await client.query("insert into accounts values ($1, 'bench')", [account])
  await client.query("insert into keys values ($1, $2, $3, '{builds}', null, null)", [
    randomUUID(),
    account,
    sha256(key)
  ])
  await client.query("insert into repositories values ($1, $2, $3, $4)", [repository, account, owner, repo])
  await client.query(
    "insert into builds values ($1, $2, $3, $4, $5, 'main', 'ios', $6, $7, $8, 'text/javascript', 'ready')",
    [build, account, repository, owner, repo, "5ee0d1e5".repeat(5), sha256(smallBundle()), smallBundle().byteLength]
  )
  await client.end()
  return { key, build }
}

/** A side whose folder is deleted when it stops: it has gigabytes by then. */
export const ofFolder = <One extends Side>(side: One, folder: string): One => ({
  ...side,
  stop: async () => {
    await side.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})

/** One of our own small programs for Node, on the peers' database. */
const startProgram = async (
  scratch: Scratch,
  file: "fastify.mjs" | "node.mjs",
  database: string,
  key: string
): Promise<Side & { readonly folder: string }> => {
  const folder = mkdtempSync(join(scratch.folder, "objects-"))
  for (const name of ["staging", "hosted"]) mkdirSync(join(folder, name))
  const { line, pid, stop } = await started([file, database, folder], { cwd: scratch.folder, env: production })
  return ofFolder({ pid, url: line, key, stop, folder }, folder)
}

/** Waits until a server that prints no line answers. */
const answering = async (url: string): Promise<void> => {
  for (let tries = 0; tries < 100; tries += 1) {
    const isUp = await fetch(url).then(
      () => true,
      () => false
    )
    if (isUp) return
    await setTimeout(100)
  }
  throw new Error(`${url} doesn't answer`)
}

export const startQuiet = async (
  command: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly url: string; readonly key: string }
): Promise<Side> => {
  const child = spawn(command, args, { cwd: options.cwd, env: options.env, stdio: "ignore" })
  const closed = once(child, "close")
  await answering(options.url)
  if (child.pid === undefined) throw new Error(`${command} didn't start`)
  return {
    pid: child.pid,
    url: options.url,
    key: options.key,
    stop: async () => {
      child.kill("SIGTERM")
      await closed
    }
  }
}

/** The cache server that teams of Turborepo run: it takes artifacts by PUT and gives them by GET. */
const startTurborepo = async (scratch: Scratch): Promise<Side> => {
  const port = await freePort()
  const folder = mkdtempSync(join(scratch.folder, "turborepo-"))
  const env = {
    ...production,
    PORT: String(port),
    TURBO_TOKEN: "secret",
    STORAGE_PROVIDER: "local",
    STORAGE_PATH: folder,
    STORAGE_PATH_USE_TMP_FOLDER: "false",
    LOG_LEVEL: "fatal"
  }
  const main = join(scratch.folder, "node_modules/turborepo-remote-cache/dist/index.js")
  const url = `http://127.0.0.1:${port}`
  return ofFolder(await startQuiet(process.execPath, [main], { cwd: scratch.folder, env, url, key: "secret" }), folder)
}

/** Takes and gives files. */
const ownFiles = (port: number, folder: string) =>
  `server { listen 127.0.0.1:${port}; root ${folder}; location / { dav_methods PUT; } }`

/** The example of a proxy before a host, without TLS. */
const exampleServers =
  (hostPort: number, data: string) =>
  (port: number): string =>
    readFileSync(join(import.meta.dirname, "../../../examples/deploy/nginx.conf"), "utf8")
      .replace(/^server \{\n {2}listen 80;[^]*$/m, "")
      .replaceAll(/^ *(?:listen \[|ssl_).*$/gm, "")
      .replace("listen 443 ssl", `listen 127.0.0.1:${port}`)
      .replace("127.0.0.1:8787", `127.0.0.1:${hostPort}`)
      .replace("/var/lib/slipway", data)

/** nginx with one worker. Its PUT doesn't force files to the disk. */
const startNginx = async (
  scratch: Scratch,
  nginx: string,
  servers: (port: number, folder: string) => string = ownFiles,
  given?: number
): Promise<Side> => {
  const port = given ?? (await freePort())
  const folder = mkdtempSync(join(scratch.folder, "nginx-"))
  writeFileSync(
    join(folder, "nginx.conf"),
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
    ${process.getuid?.() === 0 ? "user root;" : ""}
    events { worker_connections 1024; }
    http {
      access_log off; sendfile on; tcp_nopush on; client_max_body_size 1g; client_body_temp_path ${folder}/body;
      proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
      keepalive_requests 1000000;
      ${servers(port, folder)}
    }`
  )
  const args = ["-p", folder, "-c", join(folder, "nginx.conf")]
  const url = `http://127.0.0.1:${port}`
  return ofFolder(await startQuiet(nginx, args, { cwd: folder, env: scratch.env, url, key: "" }), folder)
}

/** The statements of a reservation and of a finalize as `fastify.mjs` has them, as a script of pgbench. */
const reserveStatements = `
\\set n random(1, 1000000000000)
begin;
select id from repositories where account_id = (select id from accounts) and owner = '${owner}' and name = '${repo}';
insert into builds (id, account_id, repository_id, owner, repo, branch, platform, commit_sha, content_hash, size_bytes, content_type, status)
  select gen_random_uuid(), account_id, id, owner, name, 'pgbench', 'ios', md5(:n::text), '${sha256(smallBundle())}', 4096, 'text/javascript', 'uploading'
  from repositories
  on conflict (repository_id, branch, platform, commit_sha) do update set updated_at = now() returning id;
insert into reservations (id, account_id, build_id, token_hash, expires_at)
  select gen_random_uuid(), account_id, id, md5(random()::text || :n::text), now() + interval '1 hour'
  from builds where branch = 'pgbench' and commit_sha = md5(:n::text) limit 1;
commit;
`
