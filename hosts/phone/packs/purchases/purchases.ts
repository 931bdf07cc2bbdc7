import { ignoring, resolving } from "../../modules/answers.ts"
import type { Pack } from "../../modules/Pack.ts"
import { textIn } from "../../runtime/decode.ts"

/** Methods that only report to a server, or set up the library. */
const ignored = [
  "addListener removeListeners setAttributes setEmail setDisplayName setPhoneNumber setPushToken setAdjustID setAirshipChannelID",
  "setAppsflyerID setCleverTapID setFBAnonymousID setFirebaseAppInstanceID setKochavaDeviceID setMixpanelDistinctID setMparticleID",
  "setOnesignalID setOnesignalUserID setSingularDeviceID setTenjinAnalyticsInstallationID setMediaSource setCampaign setAdGroup",
  "setAd setKeyword setCreative setAllowSharingStoreAccount setDebugLogsEnabled setLogLevel setLogHandler setProxyURLString",
  "setSimulatesAskToBuyInSandbox setTrackedEventListener setDebugEventListener collectDeviceIdentifiers invalidateCustomerInfoCache",
  "invalidateVirtualCurrenciesCache enableAdServicesAttributionTokenCollection overridePreferredLocale trackCustomPaywallImpression"
].join(" ")

/** react-native-purchases (RevenueCat): it starts; requests to the store and the server reject. */
export const purchases: Pack = {
  partial: ({ notes }) => {
    let user: string | undefined
    return {
      RNPurchases: {
        ...ignoring(ignored),
        setupPurchases: (_key: unknown, asked: unknown): void => {
          user = textIn(asked) ?? "$RCAnonymousID:replay"
          notes.line("The app starts RevenueCat; a replay has no store.")
        },
        ...resolving({
          isConfigured: () => user !== undefined,
          getAppUserID: () => user,
          isAnonymous: () => user?.startsWith("$RCAnonymousID:") ?? true,
          canMakePayments: false
        })
      }
    }
  }
}
