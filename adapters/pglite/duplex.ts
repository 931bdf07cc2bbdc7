import type { PGlite } from "@electric-sql/pglite"
import { Buffer } from "node:buffer"
import { Duplex } from "node:stream"
import { setImmediate } from "node:timers/promises"

const terminate = 0x58
const readyForQueryLength = 6

/**
 * The answer to one message without a second `ReadyForQuery` at its end: PGlite says that it is ready once on the error
 * of a statement and once more at the end of the message, and a client that counts would be out of step from then on.
 */
const readyOnce = (answer: Buffer): Buffer => {
  const shorter = answer.subarray(0, -readyForQueryLength)
  const last = answer.subarray(-readyForQueryLength)
  return last[0] === 0x5a && shorter.subarray(-readyForQueryLength).equals(last) ? shorter : answer
}

/** From how many bytes on a message is worked on in a turn of the event loop of its own. */
const large = 64 * 1024

const ask = async (db: PGlite, message: Uint8Array): Promise<Buffer> => {
  if (message.byteLength >= large) await setImmediate()
  const parts: Array<Buffer> = []
  // A part is a view of PGlite's memory, which the next one overwrites.
  const onRawData = (part: Uint8Array) => void parts.push(Buffer.from(part))
  await db.runExclusive(() => db.execProtocolRawStream(message, { onRawData }))
  return readyOnce(Buffer.concat(parts))
}

/** Speaks the wire protocol of PostgreSQL to a PGlite. It is one session: a second one would share its state. */
const session = (db: PGlite): Duplex =>
  new Duplex({
    read() {},
    write(chunk: Uint8Array, _encoding, done) {
      // The end of the session isn't PGlite's: whoever opened that closes it.
      if (chunk[0] === terminate) return done()
      ask(db, chunk).then((answer) => {
        this.push(answer)
        done()
      }, done)
    },
    final(done) {
      this.push(null)
      done()
    }
  })

/**
 * The streams of a client with one session over a PGlite. The first is the session. The client opens another only to
 * ask that a statement be cancelled; PGlite can't, as it runs each to its end in one go, so that one is closed at once.
 */
export const streams = (db: PGlite): (() => Duplex) => {
  let isTaken = false
  return () => {
    if (isTaken) return new Duplex().destroy()
    isTaken = true
    return session(db)
  }
}
