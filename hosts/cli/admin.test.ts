import { assert, describe, it } from "vitest"
import { isKey } from "../../core/rules/credentials.ts"
import { anyStores, startHere, startThrough, ways } from "./testing/deployment.ts"
import { slipway, slipwayJson, slipwayProcess, temporaryFolder } from "./testing/slipway.ts"

const field = (value: unknown, name: string): unknown => Reflect.get(Object(value), name)

/** Runs the administration commands on new stores, once for each way to reach them. */
for (const way of ways()) {
  describe(`the command line, through ${way.through}`, () => {
    const start = () => startThrough(way)

    it("creates and lists accounts, and refuses a name that exists", async () => {
      const { env, json } = await start()
      const account = await json("account", "create", "acme")
      assert.hasAllKeys(account, ["id", "name"])
      assert.strictEqual(field(account, "name"), "acme")
      assert.deepStrictEqual(await json("account", "list"), [account])
      const again = await slipway(["account", "create", "acme"], { env })
      assert.deepStrictEqual(again, {
        code: 1,
        stdout: "",
        stderr: "slipway: There is an account named acme already.\n"
      })
    })

    it("creates, lists, rotates and revokes keys; shows a key only when it is created", async () => {
      const { env, json } = await start()
      await json("account", "create", "acme")
      const order = "--account acme --name ci --scope builds --scope test_runs --expires 90d"
      const created = await json("key", "create", ...order.split(" "))
      assert.containsAllKeys(created, ["id", "key", "name", "account", "scopes", "expiresAt"])
      assert.isTrue(isKey(String(field(created, "key"))))
      assert.deepStrictEqual(field(created, "scopes"), ["builds", "test_runs"])
      const [listed] = (await json("key", "list", "--account", "acme")) as ReadonlyArray<unknown>
      assert.notProperty(listed, "key")
      assert.strictEqual(field(listed, "id"), field(created, "id"))

      const id = String(field(created, "id"))
      const rotated = await json("key", "rotate", id, "--overlap", "1h")
      assert.notStrictEqual(field(rotated, "key"), field(created, "key"))
      const before = Date.parse(String(field(created, "expiresAt")))
      const [old] = (await json("key", "list", "--account", "acme")) as ReadonlyArray<unknown>
      assert.isBelow(Date.parse(String(field(old, "expiresAt"))), before)

      const revoked = await json("key", "revoke", id)
      assert.property(revoked, "revokedAt")
      assert.strictEqual((await slipway(["key", "rotate", id], { env })).code, 1)
      assert.strictEqual((await slipway(["key", "revoke", "nobody"], { env })).code, 1)
    })

    it("lists who did what, for one account or all, the latest first", async () => {
      const { env, json } = await start()
      await json("account", "create", "acme")
      await json("account", "create", "other")
      const made = await json("key", "create", "--account", "acme", "--name", "ci", "--scope", "builds")
      const entries = await json("audit", "--account", "acme")
      assert.deepStrictEqual(
        (entries as ReadonlyArray<unknown>).map((entry) => [
          field(entry, "action"),
          field(entry, "subject"),
          field(entry, "actor")
        ]),
        [
          ["key.created", `key:${String(field(made, "id"))}`, { administrator: "command line" }],
          [
            "account.created",
            `account:${String(field(entries, "1") && field(field(entries, "1"), "accountId"))}`,
            { administrator: "command line" }
          ]
        ]
      )
      assert.lengthOf((await json("audit")) as ReadonlyArray<unknown>, 3)
      assert.lengthOf((await json("audit", "--limit", "1")) as ReadonlyArray<unknown>, 1)
      const { stdout } = await slipway(["audit", "--account", "acme"], { env })
      assert.match(stdout, /^\S+Z {2}key\.created {2}key:\S+ \(ci: builds\) {2}by administrator: command line\n/)
      assert.notInclude(JSON.stringify(entries), String(field(made, "key")))
      const nobody = await slipway(["audit", "--account", "nobody"], { env })
      assert.strictEqual(nobody.stderr, "slipway: There is no account named nobody.\n")
    })

    it("shows no usage before anything is billed", async () => {
      const { env, json } = await start()
      await json("account", "create", "acme")
      const { stdout } = await slipway(["usage", "--account", "acme"], { env })
      const [kept, , , , month = "", billed] = stdout.split("\n")
      assert.strictEqual(kept, "0 bytes of 50 GiB stored")
      assert.match(month, /^a new month begins on \d{4}-\d\d-01 \(UTC\)$/)
      assert.strictEqual(billed, "acme has no billed test runs.")
      const nothing = { used: 0, reserved: 0 }
      const usage = await json("usage", "--account", "acme")
      assert.deepInclude(usage, {
        account: "acme",
        months: [],
        bytesStored: { ...nothing, limit: 50 * 1024 ** 3 },
        runsPerMonth: nothing
      })
    })

    it("shows what each account uses, the one that keeps most first", async () => {
      const { env, json } = await start()
      for (const name of ["acme", "beta"]) await json("account", "create", name)
      const { stdout } = await slipway(["usage"], { env })
      assert.match(
        stdout,
        /^acme {2}0 bytes of 50 GiB stored {2}0 bytes uploaded this month.*\nbeta {2}0 bytes of 50 GiB stored.*\n$/
      )
      const names = ((await json("usage")) as ReadonlyArray<{ readonly account: string }>).map(({ account }) => account)
      assert.deepStrictEqual(names, ["acme", "beta"])
    })

    it("sets quotas of an account, keeps the others, and changes nothing for one that doesn't fit", async () => {
      const { env, json } = await start()
      await json("account", "create", "acme")
      const set = await json("account", "quota", "acme", "--bytes-stored", "100GiB", "--runs-per-month", "0")
      assert.deepInclude(set, {
        account: "acme",
        bytesStored: { used: 0, reserved: 0, limit: 100 * 1024 ** 3 },
        runsPerMonth: { used: 0, reserved: 0, limit: 0 }
      })
      for (const [flag, value] of [
        ["--bytes-stored", "many"],
        ["--bytes-stored", "-1"],
        ["--bytes-stored", ""],
        ["--bytes-stored", "9000TiB"],
        ["--previews-per-month", "1.5"],
        ["--runs-per-month", "1GiB"]
      ] as const) {
        const { code, stderr } = await slipway(["account", "quota", "acme", flag, value], { env })
        assert.notStrictEqual(code, 0, value)
        assert.include(stderr, flag.slice(2), value)
        assert.include(stderr, "off, or default", value)
      }
      assert.strictEqual((await slipway(["account", "quota", "nobody", "--bytes-stored", "1"], { env })).code, 1)
      const shown = await json("account", "quota", "acme")
      assert.deepInclude(shown, { runsPerMonth: { used: 0, reserved: 0, limit: 0 } })
      const actions = ((await json("audit")) as ReadonlyArray<{ readonly action: string }>).map(({ action }) => action)
      assert.deepStrictEqual(actions, ["quotas.changed", "account.created"])
      const { stdout } = await slipway(["account", "quota", "acme", "--runs-per-month", "default"], { env })
      assert.include(stdout, "0 bytes of 100 GiB stored\n")
      assert.include(stdout, "\n0 test runs this month\n")
      const unlimited = await json("account", "quota", "acme", "--bytes-stored", "unlimited")
      assert.deepInclude(unlimited, { bytesStored: { used: 0, reserved: 0 } })
    })

    it("links, lists and unlinks repositories; refuses one that is linked to another account", async () => {
      const { env, json } = await start()
      await json("account", "create", "acme")
      await json("account", "create", "other")
      const link = { owner: "Group/Sub", repo: "App", account: "acme" }
      assert.deepStrictEqual(await json("repo", "link", "Group/Sub/App", "--account", "acme"), link)
      assert.deepStrictEqual(await json("repo", "list", "--account", "acme"), [link])
      const branch = (...flags: ReadonlyArray<string>) =>
        ["repo", "link", "group/sub/app", "--account", "acme"].concat(flags)
      const withBranch = { ...link, defaultBranch: "trunk" }
      assert.deepStrictEqual(await json(...branch("--default-branch", "trunk")), withBranch)
      assert.deepStrictEqual(await json(...branch()), withBranch)
      assert.deepStrictEqual(await json("repo", "list", "--account", "acme"), [withBranch])
      const lines = await slipway(["repo", "list", "--account", "acme"], { env })
      assert.strictEqual(lines.stdout, "Group/Sub/App  default branch trunk\n")
      const both = await slipway(branch("--default-branch", "a", "--unset-default-branch"), { env })
      assert.include(both.stderr, "not both")
      assert.deepStrictEqual(await json(...branch("--unset-default-branch")), link)
      const entries = (await json("audit", "--account", "acme")) as ReadonlyArray<unknown>
      assert.deepStrictEqual(
        entries.slice(0, 2).map((entry) => [field(entry, "action"), field(entry, "detail")]),
        [
          ["repository.changed", "defaultBranch trunk to default"],
          ["repository.changed", "defaultBranch default to trunk"]
        ]
      )
      const taken = await slipway(["repo", "link", "group/sub/app", "--account", "other"], { env })
      assert.strictEqual(taken.code, 1)
      assert.include(taken.stderr, "is linked to another account")
      const impossible = await slipway(["repo", "link", "../../etc/passwd", "--account", "acme"], { env })
      assert.strictEqual(impossible.code, 1)
      assert.include(impossible.stderr, "../../etc/passwd can't be linked, because no code host has it: a part")
      await json("repo", "unlink", "group/SUB/app", "--account", "acme")
      assert.deepStrictEqual(await json("repo", "list", "--account", "acme"), [])
    })

    it("shows and sets the retention of an account, and refuses rules that contradict each other", async () => {
      const { env, json } = await start()
      await json("account", "create", "acme")
      const retention = (...flags: ReadonlyArray<string>) => ["account", "retention", "acme", ...flags]
      assert.deepStrictEqual(await json(...retention()), { account: "acme", histories: "400d" })
      const set = { account: "acme", previews: "90d", histories: "400d", buildsPerBranch: 3 }
      assert.deepStrictEqual(await json(...retention("--previews", "90d", "--builds-per-branch", "3")), set)
      assert.include(
        (await slipway(retention(), { env })).stdout,
        "\ntest runs  forever, their recordings 90d  (default)\n"
      )
      assert.deepStrictEqual(await slipway(retention("--runs", "91d"), { env }), {
        code: 1,
        stdout: "",
        stderr: "slipway: --runs must not be longer than previews are kept (90d), which runs show\n"
      })
      assert.deepStrictEqual(await json(...retention()), set)
      const after = { account: "acme", previews: "forever", histories: "400d", buildsPerBranch: 3 }
      assert.deepStrictEqual(await json(...retention("--previews", "forever")), after)
      assert.deepStrictEqual(await json(...retention("--previews", "default", "--builds-per-branch", "default")), {
        account: "acme",
        histories: "400d"
      })
      assert.strictEqual((await slipway(retention("--previews", "soon"), { env })).code, 2)
    })

    it("sweeps, lists what would be deleted, and refuses to keep a deleted resource", async () => {
      const { env, json } = await start()
      await json("account", "create", "acme")
      const listed = await slipway(["repo", "list", "--account", "acme"], { env })
      assert.deepStrictEqual(listed, { code: 0, stdout: "", stderr: "There are none.\n" }, "an empty list")
      assert.deepStrictEqual(await json("gc", "--dry-run"), { dryRun: true, swept: [] })
      assert.deepStrictEqual(await slipway(["gc"], { env }), {
        code: 0,
        stdout: "There is nothing to delete.\n",
        stderr: ""
      })
      for (const [kind, called] of [
        ["build", "build"],
        ["preview", "preview"],
        ["run", "test run"]
      ]) {
        for (const release of [[], ["--release"]]) {
          const { code, stderr } = await slipway(["keep", kind ?? "", "gone", ...release], { env })
          assert.deepStrictEqual([code, stderr], [1, `slipway: There is no ${called} gone, or it was deleted.\n`])
        }
      }
    })

    it("runs concurrent commands one after the other", async () => {
      const { env } = await start()
      const names = ["a", "b", "c", "d"]
      // // Two of the commands run in their own processes, because a lock may belong to a process.
      const done = await Promise.all(
        names.map((name, index) => (index < 2 ? slipwayProcess : slipway)(["account", "create", name], { env }))
      )
      // Each command that found no database reports it.
      const refusals = done.map(({ code, stderr }) => ({
        code,
        stderr: stderr.replace(/^A new database was .*\n/, "")
      }))
      assert.deepStrictEqual(
        refusals,
        names.map(() => ({ code: 0, stderr: "" }))
      )
    })

    it("trusts the CI of a linked repository, lists that and ends it", async () => {
      const { env, json } = await start()
      await json("account", "create", "acme")
      const unlinked = await slipway(["repo", "trust", "acme/app", "--github"], { env })
      assert.strictEqual(unlinked.code, 1)
      assert.include(unlinked.stderr, "slipway repo link acme/app --account NAME")
      await json("repo", "link", "acme/app", "--account", "acme")
      const trusted = {
        owner: "acme",
        repo: "app",
        account: "acme",
        issuer: "https://token.actions.githubusercontent.com",
        scopes: ["builds", "preview_upload", "test_runs"]
      }
      assert.deepStrictEqual(await json("repo", "trust", "Acme/App", "--github"), trusted)
      const narrow = { ...trusted, scopes: ["builds"] }
      assert.deepStrictEqual(await json("repo", "trust", "acme/app", "--github", "--scope", "builds"), narrow)
      const issuer = "https://git.example/_services/token"
      const own = { ...narrow, issuer }
      const more = ["--github", "--scope", "builds", "--issuer", issuer]
      assert.deepStrictEqual(await json("repo", "trust", "acme/app", ...more), own)
      assert.sameDeepMembers(
        [...((await json("repo", "trust", "list", "--account", "acme")) as Array<unknown>)],
        [narrow, own]
      )
      assert.deepStrictEqual(await json("repo", "untrust", "acme/app", "--github"), narrow)
      assert.strictEqual((await slipway(["repo", "untrust", "acme/app", "--github"], { env })).code, 1)
      assert.deepStrictEqual(await json("repo", "trust", "list", "--account", "acme"), [own])
      for (const wrong of [
        ["--github", "--issuer", "http://git.example"],
        ["--github", "--scope", "everything"],
        ["--github", "--workflow", "release.yml"],
        ["--github", "--branch", ""],
        ["--github", "--repository-id", "a/b", "--owner-id", "9"]
      ]) {
        const { code, stderr } = await slipway(["repo", "trust", "acme/app", ...wrong], { env })
        assert.strictEqual(code, 2)
        assert.include(stderr, wrong[1] ?? "")
      }
    })

    it("trusts other CI systems by their issuers, and refuses what their tokens don't have", async () => {
      const { env, json } = await start()
      await json("account", "create", "acme")
      await json("repo", "link", "acme/app", "--account", "acme")
      const trusted = (...flags: ReadonlyArray<string>) => json("repo", "trust", "acme/app", ...flags)
      const pins = ["--repository-id", "0190-p", "--owner-id", "0190-o"]
      assert.propertyVal(await trusted("--gitlab"), "issuer", "https://gitlab.com")
      assert.propertyVal(await trusted("--gitlab", "--issuer", "https://git.example"), "issuer", "https://git.example")
      assert.propertyVal(await trusted("--circleci", "0190-o"), "issuer", "https://oidc.circleci.com/org/0190-o")
      assert.propertyVal(await trusted("--buildkite", ...pins), "issuer", "https://agent.buildkite.com")
      for (const [flags, why] of [
        [[], /one of --github, --gitlab, --circleci ORGANIZATION_ID and --buildkite/],
        [["--github", "--gitlab"], /one of --github/],
        [["--buildkite"], /BUILDKITE_PIPELINE_ID and BUILDKITE_ORGANIZATION_ID/],
        [["--buildkite", ...pins, "--environment", "release"], /leave out --environment/],
        [["--circleci", "0190-o", "--workflow", "a@b"], /leave out --workflow/]
      ] as const) {
        const { code, stderr } = await slipway(["repo", "trust", "acme/app", ...flags], { env })
        assert.strictEqual(code, 1)
        assert.match(stderr, why)
      }
      await json("repo", "untrust", "acme/app", "--circleci", "0190-o")
      const left = await slipway(["repo", "trust", "list", "--account", "acme"], { env })
      assert.include(
        left.stdout,
        "https://agent.buildkite.com  builds preview_upload test_runs  repository 0190-p of owner 0190-o"
      )
      assert.notInclude(left.stdout, "circleci")
    })

    it("trusts on conditions, shows them in the list, and ends them with the link", async () => {
      const { env, json } = await start()
      await json("account", "create", "acme")
      await json("repo", "link", "acme/app", "--account", "acme")
      const workflow = "acme/app/.github/workflows/release.yml@refs/heads/*"
      const conditions = `--branch main --branch release/* --environment release --workflow ${workflow}`
      const args = `repo trust acme/app --github --scope builds ${conditions}`.split(" ")
      const trusted = {
        owner: "acme",
        repo: "app",
        account: "acme",
        issuer: "https://token.actions.githubusercontent.com",
        scopes: ["builds"],
        branches: ["main", "release/*"],
        environments: ["release"],
        workflows: [workflow]
      }
      const list = ["repo", "trust", "list", "--account", "acme"]
      assert.deepStrictEqual(await json(...args), trusted)
      assert.deepStrictEqual(await json(...list), [trusted])
      const line = `branch main  branch release/*  environment release  workflow ${workflow}  ids pinned by the first token`
      assert.include((await slipway(list, { env })).stdout, line)
      const alone = await slipway([...args, "--repository-id", "74"], { env })
      assert.strictEqual(alone.code, 1)
      assert.include(alone.stderr, "--repository-id and --owner-id go together")
      const pinned = { ...trusted, pullRequestTarget: true, repositoryId: "74", ownerId: "65" }
      const pins = ["--repository-id", "74", "--owner-id", "65"]
      assert.deepStrictEqual(await json(...args, ...pins, "--allow-pull-request-target"), pinned)
      assert.include((await slipway(list, { env })).stdout, "pull_request_target allowed  repository 74 of owner 65")
      await json("repo", "unlink", "acme/app", "--account", "acme")
      await json("repo", "link", "acme/app", "--account", "acme")
      assert.deepStrictEqual(await json(...list), [])
    })
  })
}

describe("the command line", () => {
  it("says that account create made a new database, which a host in another folder doesn't use", async () => {
    const env = { SLIPWAY_DATA: temporaryFolder() }
    const first = await slipway(["account", "create", "acme"], { env })
    assert.strictEqual(first.code, 0)
    assert.include(first.stderr, `there is no database ${env.SLIPWAY_DATA}/`)
    assert.include(first.stderr, "name the host's folder with --data")
    assert.strictEqual((await slipway(["account", "create", "other"], { env })).stderr, "")
  })

  it("revokes a key that a running host refuses from the next request on", async () => {
    const data = temporaryFolder()
    const { url } = await startHere({ SLIPWAY_DATA: data })
    await slipwayJson(["account", "create", "acme", "--data", data])
    const key = await slipwayJson([..."key create --account acme --name ci --scope builds --data".split(" "), data])
    const status = async () =>
      (await fetch(`${url}/api/v1/builds/x`, { headers: { authorization: `Bearer ${field(key, "key")}` } })).status
    assert.strictEqual(await status(), 404)
    await slipwayJson(["key", "revoke", String(field(key, "id")), "--data", data])
    assert.strictEqual(await status(), 401)
  })

  it("refuses invalid input by name with exit code 2, and changes nothing", async () => {
    const env = anyStores()
    await slipwayJson(["account", "create", "acme"], { env })
    const key = "key create --account acme --name ci"
    for (const [line, said] of [
      ["repo link acme --account acme", 'Invalid value for argument <repository>: "acme". It must be OWNER/NAME'],
      [key, "--scope"],
      [`${key} --scope root`, "root"],
      [`${key} --scope builds --expires soon`, 'Invalid value for flag --expires: "soon". It must be a duration'],
      [`${key} --scope builds --expires 0d`, "must be a duration"],
      [`${key} --scope builds --expires Infinity`, "must be a duration"],
      [`${key} --scope builds --expires 999999999d`, "must be a duration"],
      ["account create ", "must not be empty"],
      ["nonsense", "nonsense"]
    ] as const) {
      const { code, stderr } = await slipway(line.split(" "), { env })
      assert.strictEqual(code, 2, line)
      assert.include(stderr, said)
    }
    assert.deepStrictEqual(await slipwayJson(["key", "list", "--account", "acme"], { env }), [])
    assert.deepStrictEqual(await slipwayJson(["repo", "list", "--account", "acme"], { env }), [])
  })

  it("names an account that doesn't exist", async () => {
    const env = anyStores()
    await slipwayJson(["account", "create", "acme"], { env })
    const { code, stderr } = await slipway(["key", "list", "--account", "nobody"], { env })
    assert.strictEqual(code, 1)
    assert.strictEqual(stderr, "slipway: There is no account named nobody.\n")
  })
})
