typedef int ExtraType;
