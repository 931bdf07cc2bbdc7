import type { Push } from "../settings/push.ts"
import { showBanner } from "./banner.ts"
import type { Host } from "./Host.ts"
import { permissionOf } from "./permissions.ts"

/** A push notification with its id. */
export interface Delivered extends Push {
  readonly id: string
}

/** A library that passes push notifications to its app. */
export interface PushReceiver {
  /** Whether the app receives notifications from it. */
  readonly isUsed: () => boolean
  readonly received: (push: Delivered) => void
  /** The person has pressed the banner. */
  readonly opened: (push: Delivered) => void
}

const receivers: Array<PushReceiver> = []

/** Registers a library for push notifications. */
export const receivePushes = (receiver: PushReceiver): void => {
  receivers.push(receiver)
}

/** Delivers a push notification to the app, and shows it in a banner, also where an open app would not show it. */
export const deliverPush = ({ notes, surface }: Host, push: Push): void => {
  const delivered = { ...push, id: crypto.randomUUID() }
  const { body, title } = push
  const isShown = title !== undefined || body !== undefined
  if (isShown && permissionOf("notifications") !== "granted") {
    notes.line("The push notification was not delivered: the app has no permission for notifications.")
    return
  }
  const used = () => receivers.filter(({ isUsed }) => isUsed())
  if (used().length === 0) notes.line("The app has no listener for push notifications.")
  for (const { received } of used()) received(delivered)
  if (!isShown) return
  showBanner(surface.element, {
    ...(title === undefined ? {} : { title }),
    ...(body === undefined ? {} : { body }),
    press: () => used().forEach(({ opened }) => opened(delivered))
  })
}
