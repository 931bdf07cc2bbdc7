import type { Notes } from "../../runtime/notes.ts"

const permission = (status: "undetermined" | "denied") => ({
  status,
  granted: false,
  canAskAgain: status === "undetermined",
  expires: "never",
  ios: { status: status === "denied" ? 1 : 0 }
})

/** The modules of expo-notifications: a replay asks nobody for them, and neither receives nor shows one. */
export const notifications = (notes: Notes): Readonly<Record<string, object>> => {
  const nothing = async () => null
  const none = async () => []
  return {
    ExpoNotificationPermissionsModule: {
      getPermissionsAsync: async () => permission("undetermined"),
      requestPermissionsAsync: async () => permission("denied")
    },
    ExpoPushTokenManager: {
      getDevicePushTokenAsync: async () => {
        throw new Error("A replay has no push token.")
      },
      unregisterForNotificationsAsync: nothing
    },
    NotificationsServerRegistrationModule: {
      getInstallationIdAsync: async () => crypto.randomUUID(),
      getRegistrationInfoAsync: nothing,
      setRegistrationInfoAsync: nothing
    },
    ExpoNotificationScheduler: {
      getAllScheduledNotificationsAsync: none,
      scheduleNotificationAsync: async (id: string) => {
        notes.line("The app schedules a notification, which a replay doesn't show.")
        return id
      },
      cancelScheduledNotificationAsync: nothing,
      cancelAllScheduledNotificationsAsync: nothing,
      getNextTriggerDateAsync: nothing
    },
    ExpoNotificationPresenter: {
      getPresentedNotificationsAsync: none,
      dismissNotificationAsync: nothing,
      dismissAllNotificationsAsync: nothing
    },
    ExpoNotificationCategoriesModule: {
      getNotificationCategoriesAsync: none,
      setNotificationCategoryAsync: async (identifier: string, actions: unknown) => ({ identifier, actions }),
      deleteNotificationCategoryAsync: async () => false
    },
    ExpoNotificationsEmitter: { getLastNotificationResponse: () => null, clearLastNotificationResponse: () => {} },
    ExpoNotificationsHandlerModule: { handleNotificationAsync: nothing },
    ExpoBackgroundNotificationTasksModule: { registerTaskAsync: nothing, unregisterTaskAsync: nothing },
    ExpoBadgeModule: { getBadgeCountAsync: async () => 0, setBadgeCountAsync: async () => false }
  }
}
