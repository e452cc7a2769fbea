"""From texts that people write or paste to definitions; nothing here touches a disk."""
