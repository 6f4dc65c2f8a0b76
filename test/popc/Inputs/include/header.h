typedef float HeaderType;
