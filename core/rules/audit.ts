import type { AuditActor } from "../model/AuditEntry.ts"

/** Who did something, in a few words with the ids that other lists show. */
export const actorText = (actor: AuditActor): string => {
  if ("session" in actor) return `session ${actor.session} of key ${actor.key}`
  if ("key" in actor) return `key ${actor.key}`
  if ("embedder" in actor) return `${actor.embedder}, signed in by the host`
  return "token" in actor ? `CI with a token of ${actor.token}` : `administrator: ${actor.administrator}`
}
