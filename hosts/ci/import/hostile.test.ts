/** Folders and reports that another one made to read or send what isn't theirs, or to keep the program busy. */
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { findBundle } from "../bundle/findBundle.ts"
import { runCi } from "../testing/runCi.ts"
import { lastAttempt } from "./recordedRun.ts"
import { hosted, hostedRecordings } from "./testing/hosted.ts"
import { folderOf, readDetox, readJUnitReports, readMaestro } from "./testing/reading.ts"
import { commands, flowCase, jest, report, suite } from "./testing/results.ts"

const secretNames = [
  ".env",
  ".env.production",
  ".git/config",
  ".npmrc",
  ".netrc",
  ".ssh/id_ed25519",
  ".aws/credentials",
  ".docker/config.json",
  ".config/gh/hosts.yml",
  "prod.env",
  "id_rsa",
  "id_ecdsa.txt",
  "server.key",
  "AuthKey_ABC123.p8",
  "certs/client.pem",
  "release.keystore",
  "upload.jks",
  "dist.p12",
  "app.mobileprovision",
  "android/local.properties",
  "android/key.properties",
  "google-services.json",
  "GoogleService-Info.plist",
  "service-account.json",
  "my-app-firebase-adminsdk-x.json",
  "credentials.json",
  "secrets.yaml",
  "config/prod-secrets.txt",
  "secrets/api.txt",
  "vault.yml",
  "terraform.tfstate",
  "prod.tfvars",
  "api_key.txt",
  "tokens.json",
  "kubeconfig",
  "server.key.bak",
  "server.key.",
  "AuthKey_1.p8.txt",
  "deploy_rsa",
  "accessTokens.json",
  "google-services-debug.json",
  "PROD.ENV",
  // Of another width, and with a Cyrillic letter.
  "ＩＤ_RSA",
  "id_rs\u0430",
  "htpasswd",
  "private.log"
]

const junit = (attachments: ReadonlyArray<string>): string =>
  `<testsuite name="A"><testcase name="A"><system-out>${attachments
    .map((path) => `[[ATTACHMENT|${path}]]`)
    .join("\n")}</system-out></testcase></testsuite>`

const names = async (...paths: ReadonlyArray<string>) => {
  const { notes, problems, run } = await readJUnitReports(...paths)
  return { sent: lastAttempt(run("A")).recordings.map(({ name }) => name), notes, problems }
}

describe("the attachments of a report", () => {
  it("never are files of secrets, also by links, and the command names them", async () => {
    const { client, env, key, url } = await hosted()
    const content = "the content of a secret"
    const folder = folderOf({
      ...Object.fromEntries(secretNames.map((name) => [name, content])),
      ".gitignore": "private.*\nignored/\n",
      "ignored/a.txt": content,
      "trace.flow": "typed hunter2! here",
      "a.txt": "a text"
    })
    symlinkSync(join(folder, ".env"), join(folder, "link.png"))
    writeFileSync(
      join(folder, "report.xml"),
      junit([...secretNames, "ignored/a.txt", "link.png", "trace.flow", "a.txt"])
    )
    const args = ["import", "junit", "--kind", "detox", "report.xml", "--mask", "PW"]
    const { code, err } = await runCi(args, { env: { ...env, PW: "hunter2!" }, cwd: folder })
    assert.strictEqual(code, 0, err)
    const sent = await hostedRecordings(client, key, url)
    assert.deepStrictEqual(
      sent.map(({ name, text }) => `${name}: ${text}`),
      ["trace.flow: typed ••• here", "a.txt: a text"]
    )
    for (const name of [...secretNames, "ignored/a.txt", "link.png"]) assert.include(err, join(folder, name))
    assert.include(err, `${join(folder, "ignored/a.txt")}. A .gitignore covers it; name its folder to send it.`)
  })

  it("lie below the folder of the report, or below a folder of the command line", async () => {
    const folder = folderOf({
      "out/report.xml": junit(["a.txt", "../more/b.txt", "../c.txt"]),
      "out/a.txt": "a",
      "more/b.txt": "b",
      "c.txt": "c"
    })
    const alone = await names(join(folder, "out/report.xml"))
    assert.deepStrictEqual(alone.sent, ["a.txt"])
    assert.lengthOf(alone.problems, 2)
    assert.deepStrictEqual((await names(join(folder, "out"), join(folder, "more"))).sent, ["a.txt", "b.txt"])
  })

  it("may be what git ignores if it ignores their whole folder, or if they are pictures", async () => {
    const files = { ".gitignore": "out/\n*.tmp\n*.png\n", ".git/HEAD": "x" }
    const folder = folderOf({
      ...files,
      "out/report.xml": junit(["a.txt", "b.tmp", "c.png"]),
      "out/a.txt": "a",
      "out/b.tmp": "b",
      "out/c.png": "c"
    })
    const { notes, sent } = await names(folder)
    assert.deepStrictEqual(sent, ["a.txt", "c.png"])
    assert.deepStrictEqual(notes, [`Not sent: ${join(folder, "out/b.tmp")}. A .gitignore covers it.`])
  })
})

it("sends no file of secrets that the folder of a flow has", async () => {
  const folder = folderOf({
    "flow/commands.json": commands(["COMPLETED"]),
    "flow/manifest.json": JSON.stringify({
      entries: [".env", "logs", "logs/id_rsa"].map((relativePath) => ({ kind: "MAESTRO_LOG", relativePath }))
    }),
    "flow/.env": "KEY=1",
    "flow/logs/id_rsa": "a key",
    "flow/logs/maestro.log": "10:00:00.000 begins"
  })
  const { notes, runs } = await readMaestro(folder)
  assert.deepStrictEqual(
    lastAttempt(runs[0]!).recordings.map(({ name }) => name),
    ["logs/maestro.log"]
  )
  assert.lengthOf(notes, 2)
})

/** A folder with results, a FIFO, a socket and links to devices, beside each other and as what a report names. */
const specials = async (files: Readonly<Record<string, string>>) => {
  const folder = folderOf(files)
  const server = createServer().listen(join(folder, "socket.xml"))
  onTestFinished(() => void server.close())
  await once(server, "listening")
  for (const name of [
    "fifo.xml",
    "fifo.json",
    "detox.trace.json",
    "maestro.log",
    "commands-(fifo).json",
    "main.bundle"
  ])
    execFileSync("mkfifo", [join(folder, name)])
  for (const name of ["zero.xml", "zero.json"]) symlinkSync("/dev/zero", join(folder, name))
  symlinkSync("/dev/stdin", join(folder, "stdin.xml"))
  return folder
}

describe("what is no regular file", () => {
  it("is left out of a folder by every command that walks one", async () => {
    const folder = await specials({
      "report.xml": report(suite([flowCase("flows/happy.yaml", "SUCCESS")])),
      "results.json": jest({ "e2e/a.test.js": { A: "passed" } }),
      "j/report.xml": junit(["../fifo.xml", "../zero.json", "../socket.xml"])
    })
    const maestro = await readMaestro(folder)
    assert.deepStrictEqual(
      maestro.runs.map(({ name }) => name),
      ["happy"]
    )
    assert.include(maestro.problems.map(({ reason }) => reason).join(), "It is a FIFO.")
    assert.include(maestro.problems.map(({ reason }) => reason).join(), "It is a socket.")
    assert.include(maestro.problems.map(({ reason }) => reason).join(), "It is a device.")
    const detox = await readDetox([folder])
    assert.deepStrictEqual(
      detox.runs.map(({ name }) => name),
      ["A"]
    )
    const { problems, sent } = await names(folder)
    assert.deepStrictEqual(sent, [])
    for (const named of ['"../fifo.xml", which is a FIFO', '"../zero.json", which is a device', "which is a socket"])
      assert.include(problems.map(({ reason }) => reason).join(), named)
    writeFileSync(join(folder, "app.jsbundle"), "run()")
    const { bundle, leftOut } = await findBundle(folder, {})
    assert.strictEqual(bundle.path, "app.jsbundle")
    assert.include(leftOut.join(), "main.bundle: it is a FIFO")
  })

  it("is refused where the command line names it", async () => {
    const folder = await specials({})
    for (const args of [
      ["import", "maestro", "fifo.xml"],
      ["import", "detox", "fifo.json"],
      ["import", "detox", "--artifacts", "fifo.json"],
      ["import", "junit", "--kind", "detox", "/dev/zero"],
      ["upload", "preview", "socket.xml"]
    ]) {
      const { code, err } = await runCi([...args, "--dry-run"], { cwd: folder })
      assert.strictEqual(code, 2, err)
      assert.match(err, /is a (?:FIFO|socket|device)/)
    }
  })

  it("is no recording and no manifest of a flow", async () => {
    const folder = folderOf({ "flow/commands.json": commands(["COMPLETED"]), "flow/logs/a.log": "a" })
    execFileSync("mkfifo", [join(folder, "flow/manifest.json"), join(folder, "flow/logs/maestro.log")])
    const { runs } = await readMaestro(folder)
    assert.deepStrictEqual(
      lastAttempt(runs[0]!).recordings.map(({ name }) => name),
      ["logs/a.log"]
    )
  })
})

it("reads folders that are linked 2^18-fold once each", async () => {
  const folder = folderOf({
    "18/report.xml": report(suite([flowCase("flows/happy.yaml", "SUCCESS")])),
    "18/main.jsbundle": "run()",
    "main.jsbundle": "run()"
  })
  for (let level = 0; level < 18; level += 1) {
    mkdirSync(join(folder, String(level)))
    for (const name of ["a", "b"]) symlinkSync(join(folder, String(level + 1)), join(folder, String(level), name))
  }
  assert.lengthOf((await readMaestro(folder)).runs, 1)
  assert.lengthOf((await readDetox([folder])).runs, 0)
  const { bundle, files } = await findBundle(folder, {})
  assert.strictEqual(bundle.path, "main.jsbundle")
  assert.isAtMost(files.length, 2 * 18 * 2)
})

it("reads a report once, however many links lead to it", async () => {
  const folder = folderOf({ "report.xml": report(suite([flowCase("flows/happy.yaml", "SUCCESS")])) })
  for (let nth = 0; nth < 100; nth += 1) symlinkSync(join(folder, "report.xml"), join(folder, `${nth}.xml`))
  assert.lengthOf((await readMaestro(folder)).runs, 1)
})

it("reads what has a name that isn't UTF-8, and shows it with what is readable of its name", async () => {
  const folder = folderOf({
    "flow/commands.json": commands(["COMPLETED"], { file: "one" }),
    "other/commands.json": commands(["COMPLETED", "FAILED"], { file: "two" })
  })
  const latin1 = (name: string) => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, "latin1")])
  renameSync(join(folder, "flow"), latin1("Öffnen"))
  renameSync(join(folder, "other"), latin1("Äffnen"))
  writeFileSync(latin1("Übersicht.xml"), report(suite([flowCase("flows/three.yaml", "ERROR", "<failure>no wind")])))
  const { problems, runs } = await readMaestro(folder)
  assert.sameMembers(
    runs.map(({ name, attempts }) => `${name} ${attempts[0].status}`),
    ["one passed", "two failed", "three failed"]
  )
  assert.lengthOf(problems, 1)
  writeFileSync(join(folder, "main.jsbundle"), "run()")
  assert.include((await findBundle(folder, {})).leftOut.join(), "its name isn't UTF-8")
})
