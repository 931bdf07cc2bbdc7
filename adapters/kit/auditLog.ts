import { assert } from "@effect/vitest"
import { Context, Effect, Option } from "effect"
import { AuditEntry, AuditEntryId } from "../../core/model/AuditEntry.ts"
import { SessionId } from "../../core/model/ApiKey.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { AuditLog } from "../../core/ports/AuditLog.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import type { BuildPorts } from "./parts/stored.ts"
import { plainOf } from "./parts/plain.ts"
import { auditedCommits, many } from "./parts/commits.ts"
import { epochs, idAt, instant, makeAccount, makeAuditEntry, makeKey } from "./parts/samples.ts"
import type { Cases } from "./parts/suite.ts"

/** What the cases need beside an `AuditLog`: the stores whose commits write entries, or are made beside one. */
type AuditLogPorts = AuditLog | AccountStore | BuildPorts | KeyStore | PreviewStore | TestRunStore

const plain = plainOf(AuditEntry)

/** Stores an entry beside a change that changes nothing. */
const add = Effect.fnUntraced(function* (entry: AuditEntry) {
  yield* (yield* AuditLog).record(Effect.void, () => entry)
  return entry
})

const listed = Effect.fnUntraced(function* (query: Parameters<AuditLog["Service"]["list"]>[0]) {
  return (yield* (yield* AuditLog).list(query)).map((entry) => plain(entry))
})

export const auditLogCases = (it: Cases<AuditLogPorts>) => {
  it.effect("an entry is listed with every field unchanged, newest first, and of its account alone", function* () {
    const account = makeAccount()
    const entries = [
      makeAuditEntry({ id: AuditEntryId.make(idAt(1)), accountId: account.id, ...(epochs[0] && { at: epochs[0] }) }),
      makeAuditEntry({ id: AuditEntryId.make(idAt(2)), accountId: makeAccount().id }),
      makeAuditEntry({
        id: AuditEntryId.make(idAt(3)),
        accountId: account.id,
        at: instant(3),
        action: "session.began",
        detail: "Prüfung \u{1F680}",
        actor: { session: SessionId.make(idAt(9)), key: makeKey(account).id },
        address: "192.0.2.1"
      }),
      makeAuditEntry({ id: AuditEntryId.make(idAt(4)) })
    ]
    for (const index of [2, 0, 3, 1]) {
      const entry = entries[index]
      if (entry !== undefined) yield* add(entry)
    }
    const [first, other, last, deployment] = entries.map((entry) => plain(entry))
    assert.deepStrictEqual(yield* listed({ account: account.id, limit: 9 }), [last, first])
    assert.deepStrictEqual(yield* listed({ account: account.id, limit: 1 }), [last])
    const id = AuditEntryId.make(String(last?.id))
    assert.deepStrictEqual(yield* listed({ account: account.id, before: id, limit: 9 }), [first])
    const all = yield* listed({ before: AuditEntryId.make(idAt(5)), limit: 10_000 })
    assert.deepStrictEqual(
      all.filter((one) => [first, other, last, deployment].some((entry) => entry?.id === one.id)),
      [deployment, last, other, first]
    )
  })

  it.effect("a change is made with its entry, and its answer is returned", function* () {
    const [log, keys] = [yield* AuditLog, yield* KeyStore]
    const account = makeAccount()
    yield* log.record((yield* AccountStore).insert(account), () => undefined)
    const key = makeKey(account)
    yield* keys.insert(key)
    const entry = makeAuditEntry({ accountId: account.id, action: "key.revoked" })
    const revoked = yield* log.record(keys.revoke(key.id, instant(2)), (answer) => {
      assert.isTrue(Option.isSome(answer))
      return entry
    })
    assert.isDefined(Option.getOrUndefined(revoked)?.revokedAt)
    assert.isDefined(Option.getOrUndefined(yield* keys.findById(key.id))?.key.revokedAt)
    assert.deepStrictEqual(yield* listed({ account: account.id, limit: 9 }), [plain(entry)])
  })

  it.effect("a change without an entry is made, and no entry is stored", function* () {
    const account = makeAccount()
    yield* (yield* AuditLog).record((yield* AccountStore).insert(account), () => undefined)
    assert.isTrue(Option.isSome(yield* (yield* AccountStore).findByName(account.name)))
    assert.deepStrictEqual(yield* listed({ account: account.id, limit: 9 }), [])
  })

  it.effect("a change that fails stores nothing and no entry, and answers its failure", function* () {
    const [log, accounts] = [yield* AuditLog, yield* AccountStore]
    const [account, other] = [makeAccount(), makeAccount()]
    yield* accounts.insert(account)
    const change = Effect.andThen(accounts.insert(other), accounts.insert({ ...account, id: makeAccount().id }))
    const failure = yield* Effect.flip(log.record(change, () => makeAuditEntry({ accountId: account.id })))
    assert.strictEqual(failure._tag, "NameTaken")
    assert.isTrue(Option.isNone(yield* accounts.findByName(other.name)))
    assert.deepStrictEqual(yield* listed({ account: account.id, limit: 9 }), [])
    yield* accounts.insert(other)
  })

  it.effect("a change whose entry can't be made is undone", function* () {
    const [log, accounts] = [yield* AuditLog, yield* AccountStore]
    const account = makeAccount()
    const exit = yield* Effect.exit(
      log.record(accounts.insert(account), () => {
        throw new Error("no entry")
      })
    )
    assert.strictEqual(exit._tag, "Failure")
    assert.isTrue(Option.isNone(yield* accounts.findByName(account.name)))
  })

  for (const [name, rivals] of Object.entries(auditedCommits)) {
    it.effect(`${name} stores its entry, and one that is refused stores none`, function* () {
      const make = yield* rivals
      const account = makeAccount()
      const [entry, other] = [makeAuditEntry({ accountId: account.id }), makeAuditEntry({ accountId: account.id })]
      yield* make(0).commit({ entry })
      yield* Effect.flip(make(1).commit({ entry: other }))
      assert.deepStrictEqual(yield* listed({ account: account.id, limit: 9 }), [plain(entry)])
    })
  }

  it.effect("many changes at once each store their entry, and failed ones store none", function* () {
    const [log, accounts] = [yield* AuditLog, yield* AccountStore]
    const [account, name] = [makeAccount(), makeAccount().name]
    const results = yield* Effect.forEach(
      many,
      () =>
        Effect.result(
          log.record(accounts.insert(makeAccount({ name })), () => makeAuditEntry({ accountId: account.id }))
        ),
      { concurrency: "unbounded" }
    )
    assert.strictEqual(results.filter(({ _tag }) => _tag === "Success").length, 1)
    assert.strictEqual((yield* listed({ account: account.id, limit: 100 })).length, 1)
  })

  it.onTwoHosts("an entry that one host stores is listed by another that has listed before", function* (other) {
    const elsewhere = Context.get(other, AuditLog)
    const account = makeAccount()
    assert.deepStrictEqual(yield* elsewhere.list({ account: account.id, limit: 9 }), [])
    yield* add(makeAuditEntry({ accountId: account.id }))
    assert.strictEqual((yield* elsewhere.list({ account: account.id, limit: 9 })).length, 1)
  })

  it.effect("the oldest entries before an instant are deleted, within the limit, and no others", function* () {
    const log = yield* AuditLog
    const account = makeAccount()
    const start = -10_000_000_000_000
    yield* log.expire({ before: instant(start), limit: 10_000 })
    const ids = [3, 2, 1].map((at) => AuditEntryId.make(idAt(at)))
    for (const [index, id] of ids.entries()) {
      yield* add(makeAuditEntry({ id, accountId: account.id, at: instant(start + index) }))
    }
    const before = instant(start + 2)
    assert.strictEqual(yield* log.expire({ before, limit: 1 }), 1)
    const left = () => Effect.map(log.list({ account: account.id, limit: 9 }), (all) => all.map(({ id }) => id))
    assert.deepStrictEqual(yield* left(), [ids[1], ids[2]])
    assert.strictEqual(yield* log.expire({ before, limit: 9 }), 1)
    assert.deepStrictEqual(yield* left(), [ids[2]])
    assert.strictEqual(yield* log.expire({ before, limit: 9 }), 0)
  })
}
