import { Pressable, StyleSheet, Text, View } from "react-native"
import { formatLength, useSettings } from "../parts/settings.js"
import { useTheme } from "../parts/theme.js"
import { Chevron } from "./icons.jsx"
import { Picture } from "./Picture.jsx"
import { StatusPill } from "./StatusPill.jsx"

/** One slip of the list. */
export const SlipRow = ({ slip, onPress }) => {
  const theme = useTheme()
  const { feet } = useSettings()
  return (
    <Pressable
      accessibilityRole="button"
      accessibilityLabel={`${slip.vessel}, slip ${slip.slip}`}
      testID={`slip-${slip.id}`}
      onPress={onPress}
      style={({ pressed }) => [
        styles.row,
        { backgroundColor: theme.surface, boxShadow: theme.shadow },
        pressed && styles.pressed
      ]}
    >
      <View>
        <Picture name={slip.image} style={styles.picture} />
        <View style={[styles.code, { backgroundColor: theme.deep, borderColor: theme.surface }]}>
          <Text style={[styles.codeText, { color: theme.onDeep }]}>{slip.slip}</Text>
        </View>
      </View>
      <View style={styles.middle}>
        <Text numberOfLines={1} style={[styles.vessel, { color: theme.ink }]}>
          {slip.vessel}
        </Text>
        <Text numberOfLines={1} style={[styles.about, { color: theme.muted }]}>
          {slip.kind} · {formatLength(slip.length, feet)}
        </Text>
        <StatusPill status={slip.status} due={slip.due} />
      </View>
      <Chevron color={theme.muted} />
    </Pressable>
  )
}

const styles = StyleSheet.create({
  row: { flexDirection: "row", alignItems: "center", gap: 16, borderRadius: 20, padding: 12, paddingRight: 16 },
  pressed: { opacity: 0.85, transform: [{ scale: 0.99 }] },
  picture: { width: 84, height: 84, borderRadius: 14 },
  code: {
    position: "absolute",
    right: -6,
    bottom: -4,
    minWidth: 34,
    alignItems: "center",
    borderRadius: 10,
    borderWidth: 2,
    paddingVertical: 2,
    paddingHorizontal: 6
  },
  codeText: { fontSize: 12, fontWeight: "800" },
  middle: { flex: 1, gap: 3, minWidth: 0 },
  vessel: { fontSize: 17, fontWeight: "700", letterSpacing: -0.2 },
  about: { fontSize: 14, marginBottom: 5 }
})
